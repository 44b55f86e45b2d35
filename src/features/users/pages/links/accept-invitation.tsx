import type { ValidLink } from '../../../../platform/accounts/one-time-links.js';
import { linkPaths } from '../../../../platform/mail/link-delivery.js';
import { withFlash } from '../../../../platform/pages/flash.js';
import {
  CsrfField,
  type FormError,
  NewPasswordField,
  TextField,
  UserNameField,
} from '../../../../platform/pages/form-parts.js';
import type { PageView } from '../../../../platform/pages/page-context.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { AcceptanceErrors, AcceptInvitation } from '../../invitations.js';
import { invalidLink, type PublicContext, type PublicPages } from './public-pages.js';

const done = { redirect: withFlash('/sign_in', 'invitation_accepted') };
const advice = 'Contact the person who invited you to get a new invitation.';

/** Page on which an invited person enters a name and a password. */
export function acceptInvitationPages(
  pages: PublicPages,
  { acceptInvitation }: { acceptInvitation: AcceptInvitation },
): void {
  const path = `${linkPaths.invitation}/:token`;

  pages.get(path, async (context) => {
    const link = await acceptInvitation.find(context.token);
    return link === null ? invalidLink(advice, context, done) : acceptPage(context, link);
  });

  pages.post(path, 'has the token of a link', async (context) => {
    const { token, form } = context;
    const link = await acceptInvitation.find(token);
    if (link === null) return invalidLink(advice, context, done);
    const names = { givenName: form.text('given_name'), familyName: form.text('family_name') };
    const acceptance = { ...names, password: form.secret('new_password') };
    const outcome = await acceptInvitation.accept(token, acceptance, context);
    switch (outcome.kind) {
      case 'accepted':
        context.markUsed();
        return done;
      case 'invalid_link':
        return invalidLink(advice, context, done);
      case 'invalid':
        return { ...acceptPage(context, link), errors: formErrors(outcome.errors) };
      case 'email_taken':
        return { status: 409, ...takenPage(link.email) };
    }
  });
}

function formErrors({ givenName, familyName, password }: AcceptanceErrors): FormError[] {
  const fields = [
    ['given_name', 'The given name', givenName],
    ['family_name', 'The family name', familyName],
    ['new_password', 'The password', password],
  ] as const;
  return fields.flatMap(([field, subject, error]) =>
    error === undefined ? [] : [{ field, message: sentence(subject, error) }],
  );
}

function acceptPage({ path, form }: PublicContext, { accountName, email }: ValidLink): PageView {
  return {
    title: `Join ${accountName}`,
    body: (
      <>
        <p>
          You sign in with <strong>{email}</strong> and the password that you choose here.
        </p>
        <form method="post" action={path} noValidate>
          <CsrfField />
          <UserNameField email={email} />
          <TextField
            id="given_name"
            label="Given name"
            value={form.text('given_name')}
            autocomplete="given-name"
            maxLength={100}
          />
          <TextField
            id="family_name"
            label="Family name"
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

function takenPage(email: string): PageView {
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
