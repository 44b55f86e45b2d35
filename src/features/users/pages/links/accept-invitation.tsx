import type { ValidLink } from '../../../../platform/accounts/one-time-links.js';
import { linkPaths } from '../../../../platform/mail/link-delivery.js';
import {
  ErrorSummary,
  type FormError,
  NewPasswordField,
  TextField,
} from '../../../../platform/pages/form-parts.js';
import { CsrfField, Layout } from '../../../../platform/pages/layout.js';
import { withNotice } from '../../../../platform/pages/notices.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { AcceptanceErrors, AcceptInvitation } from '../../invitations.js';
import { invalidLink, type OpenContext, type PublicPages } from './open-pages.js';

const done = { redirect: withNotice('/sign_in', 'invitation_accepted') };
const advice = 'Contact the person who invited you to get a new invitation.';

/** Page on which an invited person enters a name and a password. */
export function acceptInvitationPages(
  pages: PublicPages,
  { acceptInvitation }: { acceptInvitation: AcceptInvitation },
): void {
  const path = `${linkPaths.invitation}/:token`;

  pages.get(path, async (context) => {
    const link = await acceptInvitation.find(context.token);
    return link === null
      ? invalidLink(advice, context, done)
      : { page: <AcceptPage {...{ context, link }} /> };
  });

  pages.post(path, async (context) => {
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
      case 'invalid': {
        const errors = formErrors(outcome.errors);
        return { status: 400, page: <AcceptPage {...{ context, link, ...names, errors }} /> };
      }
      case 'email_taken':
        return { status: 409, page: <TakenPage email={link.email} /> };
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

function AcceptPage({
  context,
  link,
  givenName = '',
  familyName = '',
  errors = [],
}: {
  context: OpenContext;
  link: ValidLink;
  givenName?: string;
  familyName?: string;
  errors?: readonly FormError[];
}) {
  const title = `Join ${link.accountName}`;
  const messages = new Map(errors.map((error) => [error.field, error.message]));
  return (
    <Layout title={errors.length > 0 ? `Error: ${title}` : title} narrow>
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <p>
        You sign in with <strong>{link.email}</strong> and the password that you choose here.
      </p>
      <form method="post" action={context.path} noValidate>
        <CsrfField token={context.csrfToken} />
        {/* For password managers. */}
        <input type="text" value={link.email} autocomplete="username" hidden readOnly />
        <TextField
          id="given_name"
          label="Given name"
          value={givenName}
          autocomplete="given-name"
          maxLength={100}
          error={messages.get('given_name')}
        />
        <TextField
          id="family_name"
          label="Family name"
          value={familyName}
          autocomplete="family-name"
          maxLength={100}
          error={messages.get('family_name')}
        />
        <NewPasswordField error={messages.get('new_password')} />
        <button type="submit">Join</button>
      </form>
    </Layout>
  );
}

function TakenPage({ email }: { email: string }) {
  const title = 'This invitation cannot be accepted';
  return (
    <Layout title={title} narrow>
      <h1>{title}</h1>
      <p>
        The address {email} cannot be used, because it belongs to another user or another account. You need an
        invitation to another address.
      </p>
      <p>
        <a href="/sign_in">Sign in</a>
      </p>
    </Layout>
  );
}
