import type { FastifyInstance } from 'fastify';
import type { ValidLink } from '../../../../platform/accounts/one-time-links.js';
import { emailFormRule } from '../../../../platform/accounts/user-rules.js';
import { tooMany } from '../../../../platform/pages/confirm-password.js';
import { withFlash } from '../../../../platform/pages/flash.js';
import {
  ButtonForm,
  CsrfField,
  NewPasswordField,
  TextField,
  UserNameField,
} from '../../../../platform/pages/form-parts.js';
import { BackToSignIn } from '../../../../platform/pages/layout.js';
import type { PageResponse, PageView } from '../../../../platform/pages/page-context.js';
import { forgotPasswordPath, homePath, singleSignOnPath } from '../../../../platform/pages/paths.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { UserServices } from '../../index.js';
import { type PublicContext, PublicPages, type PublicPagesCore } from './public-pages.js';

/** The pages that one-time links lead to, and the page for a forgotten password. */
export async function linkPages(
  app: FastifyInstance,
  services: UserServices & PublicPagesCore,
): Promise<void> {
  const pages = new PublicPages(app, services);
  acceptInvitationPage(pages, services);
  setPasswordPage(pages, services);
  confirmEmailPage(pages, services);
  forgotPasswordPages(pages, services);
}

/** The page after an invitation was accepted. */
async function firstPage(
  next: Extract<Awaited<ReturnType<UserServices['invitations']['accept']>>, { kind: 'accepted' }>['next'],
  { signIn }: PublicContext,
): Promise<PageResponse> {
  switch (next.kind) {
    case 'signed_in':
      return { redirect: await signIn(next, joinedPage.redirect) };
    case 'single_sign_on':
      return { redirect: singleSignOnPath(next.accountId) };
    case 'not_signed_in':
      return acceptedPage;
  }
}

const joinedPage = { redirect: withFlash(homePath, 'joined') };

/** For a user who has to sign in. */
const acceptedPage = { redirect: withFlash('/sign_in', 'invitation_accepted') };

/** Field and name of each value that an invited person enters. */
const acceptanceFields = {
  givenName: ['given_name', 'The first name'],
  familyName: ['family_name', 'The last name'],
  password: ['new_password', 'The password'],
} as const;

/** Page on which an invited person enters a name and a password. */
function acceptInvitationPage(pages: PublicPages, { invitations }: UserServices): void {
  pages.link({
    purpose: 'invitation',
    advice: 'Contact the person who invited you to get a new invitation.',
    done: ({ signedInAs }) => (signedInAs === null ? acceptedPage : joinedPage),
    passwordField: 'new_password',
    view: acceptView,
    use: async (link, context) => {
      const { form } = context;
      const names = { givenName: form.text('given_name'), familyName: form.text('family_name') };
      const acceptance = { ...names, password: form.secret('new_password') };
      const outcome = await invitations.accept(link, acceptance, context);
      switch (outcome.kind) {
        case 'accepted':
          return { used: await firstPage(outcome.next, context) };
        case 'invalid_link':
          return 'invalid_link';
        case 'invalid': {
          const errors = outcome.errors.map(({ member, violation }) => {
            const [field, subject] = acceptanceFields[member];
            return { field, message: sentence(subject, violation) };
          });
          return { ...acceptView(context, link), errors };
        }
        case 'email_taken':
          return { status: 409, ...takenView(link.email) };
      }
    },
  });
}

function acceptView({ path, form, signedInAs }: PublicContext, { accountName, email }: ValidLink): PageView {
  return {
    title: `Join ${accountName}`,
    body: (
      <>
        <p>
          You sign in with <strong>{email}</strong> and the password that you choose here.
        </p>
        {signedInAs !== null && (
          <p class="warning">
            You are signed in as <strong>{signedInAs}</strong>. When you join, that user is signed out of this
            browser.
          </p>
        )}
        <form method="post" action={path} noValidate>
          <CsrfField />
          <UserNameField email={email} />
          <TextField
            id="given_name"
            label="First name"
            value={form.text('given_name')}
            autocomplete="given-name"
            maxLength={100}
          />
          <TextField
            id="family_name"
            label="Last name"
            value={form.text('family_name')}
            autocomplete="family-name"
            maxLength={100}
          />
          <NewPasswordField />
          <button type="submit">Join</button>
        </form>
      </>
    ),
  };
}

function takenView(email: string): PageView {
  return {
    title: 'This invitation cannot be accepted',
    body: (
      <>
        <p>
          The address {email} cannot be used, because it belongs to another user or another account. You need
          an invitation to another address.
        </p>
        <p>
          <a href="/sign_in">Sign in</a>
        </p>
      </>
    ),
  };
}

/** Page on which a user sets a new password. */
function setPasswordPage(pages: PublicPages, { passwordLinks }: UserServices): void {
  const view = ({ path }: PublicContext, { email }: ValidLink): PageView => ({
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
  });
  pages.link({
    purpose: 'password',
    advice: 'Request a new link, or contact an owner of your account to get one.',
    done: () => ({ redirect: withFlash('/sign_in', 'password_set') }),
    passwordField: 'new_password',
    view,
    use: async (link, context) => {
      const outcome = await passwordLinks.use(link, context.form.secret('new_password'), context);
      if (outcome.kind !== 'invalid_password') return outcome.kind;
      const message = sentence('The password', outcome.error);
      return { ...view(context, link), errors: [{ field: 'new_password', message }] };
    },
  });
}

/** Page on which a user confirms a new e-mail address. */
function confirmEmailPage(pages: PublicPages, { ownAccount }: UserServices): void {
  pages.link({
    purpose: 'email',
    advice: 'Sign in, and change the address again under My account.',
    done: () => resultView('Address confirmed', 'Sign in with the new address from now on.'),
    view: ({ path }, { accountName, email }) => ({
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
    }),
    use: async (link, { origin }) => {
      const outcome = await ownAccount.confirmEmail(link, origin);
      if (outcome !== 'email_taken') return outcome;
      const text = 'It belongs to another user or another account.';
      return { ...resultView('This address cannot be used', text), status: 409 };
    },
  });
}

function resultView(title: string, text: string): PageView {
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

const field = 'email';

/** Page that sends a link to set a new password. Its response does not depend on whether the address exists. */
function forgotPasswordPages(pages: PublicPages, { passwordLinks, canSendMail }: UserServices): void {
  pages.get(forgotPasswordPath, async () => (canSendMail ? formPage('') : noMailPage));

  pages.post(forgotPasswordPath, 'sends a link to the user', async ({ form, origin }) => {
    if (!canSendMail) return noMailPage;
    const email = form.text(field);
    const wrong = emailFormRule(email);
    if (wrong !== undefined) return formPage(email, sentence('The e-mail address', wrong));
    const limit = await passwordLinks.request(email, origin);
    if (limit === null) return sentPage(email);
    const { retryAfterSeconds } = limit;
    return { ...formPage(email, tooMany('requests', retryAfterSeconds)), status: 429, retryAfterSeconds };
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
