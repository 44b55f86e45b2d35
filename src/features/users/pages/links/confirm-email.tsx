import type { ValidLink } from '../../../../platform/accounts/one-time-links.js';
import { linkPaths } from '../../../../platform/mail/link-delivery.js';
import { ButtonForm } from '../../../../platform/pages/form-parts.js';
import type { PageView } from '../../../../platform/pages/page-context.js';
import type { EmailChanges } from '../../email-changes.js';
import { invalidLink, type PublicContext, type PublicPages } from './public-pages.js';

const advice = 'Sign in, and change the address again under My account.';

/** Page on which a user confirms a new e-mail address. */
export function confirmEmailPages(
  pages: PublicPages,
  { emailChanges }: { emailChanges: EmailChanges },
): void {
  const path = `${linkPaths.email}/:token`;

  pages.get(path, async (context) => {
    const link = await emailChanges.find(context.token);
    return link === null ? invalidLink(advice, context, done) : confirmPage(context, link);
  });

  pages.post(path, 'has the token of a link', async (context) => {
    switch (await emailChanges.confirm(context.token, context.origin)) {
      case 'changed':
        context.markUsed();
        return done;
      case 'invalid_link':
        return invalidLink(advice, context, done);
      case 'email_taken': {
        const text = 'It belongs to another user or another account.';
        return { ...result('This address cannot be used', text), status: 409 };
      }
    }
  });
}

const done = result('Address confirmed', 'Sign in with the new address from now on.');

function result(title: string, text: string): PageView {
  return {
    title,
    body: (
      <>
        <p>{text}</p>
        <p>
          <a href="/people/settings/account">My account</a>
        </p>
      </>
    ),
  };
}

function confirmPage({ path }: PublicContext, { accountName, email }: ValidLink): PageView {
  return {
    title: 'Confirm your e-mail address',
    body: (
      <>
        <p>
          You will sign in to {accountName} with <strong>{email}</strong>.
        </p>
        <ButtonForm action={path} className={null}>
          Confirm address
        </ButtonForm>
      </>
    ),
  };
}
