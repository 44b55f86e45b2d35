import type { ValidLink } from '../../../../platform/accounts/one-time-links.js';
import { linkPaths } from '../../../../platform/mail/link-delivery.js';
import { ErrorSummary, NewPasswordField } from '../../../../platform/pages/form-parts.js';
import { CsrfField, Layout } from '../../../../platform/pages/layout.js';
import { withNotice } from '../../../../platform/pages/notices.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { PasswordLinks } from '../../password-links.js';
import { invalidLink, type OpenContext, type PublicPages } from './open-pages.js';

const done = { redirect: withNotice('/sign_in', 'password_set') };
const advice = 'Request a new link, or contact an owner of your account to get one.';

/** Page on which a user sets a new password. */
export function setPasswordPages(
  pages: PublicPages,
  { passwordLinks }: { passwordLinks: PasswordLinks },
): void {
  const path = `${linkPaths.password}/:token`;

  pages.get(path, async (context) => {
    const link = await passwordLinks.find(context.token);
    return link === null
      ? invalidLink(advice, context, done)
      : { page: <SetPasswordPage {...{ context, link }} /> };
  });

  pages.post(path, async (context) => {
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
        const error = sentence('The password', outcome.error);
        return { status: 400, page: <SetPasswordPage {...{ context, link, error }} /> };
      }
    }
  });
}

function SetPasswordPage({
  context,
  link,
  error,
}: {
  context: OpenContext;
  link: ValidLink;
  error?: string;
}) {
  const title = 'Set a new password';
  return (
    <Layout title={error === undefined ? title : `Error: ${title}`} narrow>
      <h1>{title}</h1>
      <ErrorSummary errors={error === undefined ? [] : [{ field: 'new_password', message: error }]} />
      <p>
        For <strong>{link.email}</strong>. All sessions of this user end.
      </p>
      <form method="post" action={context.path} noValidate>
        <CsrfField token={context.csrfToken} />
        {/* For password managers. */}
        <input type="text" value={link.email} autocomplete="username" hidden readOnly />
        <NewPasswordField label="New password" error={error} />
        <button type="submit">Save password</button>
      </form>
    </Layout>
  );
}
