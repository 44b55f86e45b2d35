import type { ValidLink } from '../../../../platform/accounts/one-time-links.js';
import { linkPaths } from '../../../../platform/mail/link-delivery.js';
import { withFlash } from '../../../../platform/pages/flash.js';
import { CsrfField, NewPasswordField, UserNameField } from '../../../../platform/pages/form-parts.js';
import type { PageView } from '../../../../platform/pages/page-context.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { PasswordLinks } from '../../password-links.js';
import { invalidLink, type PublicContext, type PublicPages } from './public-pages.js';

const done = { redirect: withFlash('/sign_in', 'password_set') };
const advice = 'Request a new link, or contact an owner of your account to get one.';

/** Page on which a user sets a new password. */
export function setPasswordPages(
  pages: PublicPages,
  { passwordLinks }: { passwordLinks: PasswordLinks },
): void {
  const path = `${linkPaths.password}/:token`;

  pages.get(path, async (context) => {
    const link = await passwordLinks.find(context.token);
    return link === null ? invalidLink(advice, context, done) : setPasswordPage(context, link);
  });

  pages.post(path, 'has the token of a link', async (context) => {
    const { token, form } = context;
    const link = await passwordLinks.find(token);
    if (link === null) return invalidLink(advice, context, done);
    const outcome = await passwordLinks.use(token, form.secret('new_password'), context);
    switch (outcome.kind) {
      case 'changed':
        context.markUsed();
        return done;
      case 'invalid_link':
        return invalidLink(advice, context, done);
      case 'invalid_password': {
        const message = sentence('The password', outcome.error);
        return { ...setPasswordPage(context, link), errors: [{ field: 'new_password', message }] };
      }
    }
  });
}

function setPasswordPage({ path }: PublicContext, { email }: ValidLink): PageView {
  return {
    title: 'Set a new password',
    body: (
      <>
        <p>
          For <strong>{email}</strong>. All sessions of this user end.
        </p>
        <form method="post" action={path} noValidate>
          <CsrfField />
          <UserNameField email={email} />
          <NewPasswordField label="New password" />
          <button type="submit">Save password</button>
        </form>
      </>
    ),
  };
}
