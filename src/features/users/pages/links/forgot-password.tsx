import { emailFormRule } from '../../../../platform/accounts/user-rules.js';
import { ErrorSummary, TextField } from '../../../../platform/pages/form-parts.js';
import { CsrfField, Layout } from '../../../../platform/pages/layout.js';
import { forgotPasswordPath } from '../../../../platform/pages/paths.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { PasswordLinks } from '../../password-links.js';
import type { OpenContext, PublicPages } from './open-pages.js';

const field = 'email';

/** Page that sends a link to set a new password. Its response does not depend on whether the address exists. */
export function forgotPasswordPages(
  pages: PublicPages,
  { passwordLinks }: { passwordLinks: PasswordLinks },
): void {
  const { delivers } = passwordLinks;

  pages.get(forgotPasswordPath, async (context) => ({
    page: delivers ? <ForgotPasswordPage context={context} email="" /> : <NoMailPage />,
  }));

  pages.post(forgotPasswordPath, async (context) => {
    if (!delivers) return { page: <NoMailPage /> };
    const email = context.form.text(field);
    const wrong = emailFormRule(email);
    if (wrong !== undefined) {
      const error = sentence('The e-mail address', wrong);
      return { status: 400, page: <ForgotPasswordPage {...{ context, email, error }} /> };
    }
    const limit = await passwordLinks.request(email, context.origin);
    if (limit === null) return { page: <SentPage email={email} /> };
    const { retryAfterSeconds } = limit;
    const error = `Too many requests. Try again in ${retryAfterSeconds} seconds.`;
    return { status: 429, retryAfterSeconds, page: <ForgotPasswordPage {...{ context, email, error }} /> };
  });
}

const title = 'Forgot your password?';

function ForgotPasswordPage({
  context,
  email,
  error,
}: {
  context: OpenContext;
  email: string;
  error?: string;
}) {
  return (
    <Layout title={error === undefined ? title : `Error: ${title}`} narrow>
      <h1>{title}</h1>
      <ErrorSummary errors={error === undefined ? [] : [{ field, message: error }]} />
      <p>Enter the e-mail address that you sign in with. You get a mail with a link to set a new password.</p>
      <form method="post" action={forgotPasswordPath} noValidate>
        <CsrfField token={context.csrfToken} />
        <TextField
          id={field}
          label="E-mail address"
          type="email"
          value={email}
          autocomplete="username"
          maxLength={320}
          error={error}
        />
        <button type="submit">Send link</button>
      </form>
      <BackToSignIn />
    </Layout>
  );
}

function SentPage({ email }: { email: string }) {
  return (
    <Layout title="Check your mail" narrow>
      <h1>Check your mail</h1>
      <p>
        If a user with the address <strong>{email}</strong> exists, a mail with a link is on its way. The link
        can be used once, within one hour.
      </p>
      <p>If no mail arrives, contact an owner or administrator of your account to get a link.</p>
      <BackToSignIn />
    </Layout>
  );
}

function NoMailPage() {
  return (
    <Layout title={title} narrow>
      <h1>{title}</h1>
      <p>
        Contact an owner or administrator of your account. They can create a link with which you set a new
        password.
      </p>
      <BackToSignIn />
    </Layout>
  );
}

function BackToSignIn() {
  return (
    <p>
      <a href="/sign_in">Back to sign-in</a>
    </p>
  );
}
