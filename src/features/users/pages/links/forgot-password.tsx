import { emailFormRule } from '../../../../platform/accounts/user-rules.js';
import { CsrfField, TextField } from '../../../../platform/pages/form-parts.js';
import { BackToSignIn } from '../../../../platform/pages/layout.js';
import type { PageView } from '../../../../platform/pages/page-context.js';
import { forgotPasswordPath } from '../../../../platform/pages/paths.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { UserServices } from '../../index.js';
import type { PublicPages } from './public-pages.js';

const field = 'email';

/** Page that sends a link to set a new password. Its response does not depend on whether the address exists. */
export function forgotPasswordPages(pages: PublicPages, { passwordLinks, canSendMail }: UserServices): void {
  pages.get(forgotPasswordPath, async () => (canSendMail ? formPage('') : noMailPage));

  pages.post(forgotPasswordPath, 'sends a link to the user', async ({ form, origin }) => {
    if (!canSendMail) return noMailPage;
    const email = form.text(field);
    const wrong = emailFormRule(email);
    if (wrong !== undefined) return formPage(email, sentence('The e-mail address', wrong));
    const limit = await passwordLinks.request(email, origin);
    if (limit === null) return sentPage(email);
    const { retryAfterSeconds } = limit;
    const error = `Too many requests. Try again in ${retryAfterSeconds} seconds.`;
    return { ...formPage(email, error), status: 429, retryAfterSeconds };
  });
}

const title = 'Forgot your password?';

function formPage(email: string, error?: string): PageView {
  return {
    title,
    errors: error === undefined ? [] : [{ field, message: error }],
    body: (
      <>
        <p>
          Enter the e-mail address that you sign in with. You get a mail with a link to set a new password.
        </p>
        <form method="post" action={forgotPasswordPath} noValidate>
          <CsrfField />
          <TextField
            id={field}
            label="E-mail address"
            type="email"
            value={email}
            autocomplete="username"
            maxLength={320}
          />
          <button type="submit">Send link</button>
        </form>
        <BackToSignIn />
      </>
    ),
  };
}

function sentPage(email: string): PageView {
  return {
    title: 'Check your mail',
    body: (
      <>
        <p>
          If a user with the address <strong>{email}</strong> exists, a mail with a link is on its way. The
          link can be used once, within one hour.
        </p>
        <p>If no mail arrives, contact an owner or administrator of your account to get a link.</p>
        <BackToSignIn />
      </>
    ),
  };
}

const noMailPage: PageView = {
  title,
  body: (
    <>
      <p>
        Contact an owner or administrator of your account. They can create a link with which you set a new
        password.
      </p>
      <BackToSignIn />
    </>
  ),
};
