import type { User } from '../../../platform/accounts/user.js';
import { CsrfField, ErrorSummary, TextField } from '../../../platform/pages/form-parts.js';
import { Layout } from '../../../platform/pages/layout.js';
import { SignOutForm } from '../../../platform/pages/site-page.js';
import { hiddenFields, PasskeyForm } from '../../second-factors/index.js';

/** Path of the page after the password. */
export const secondFactorPath = '/sign_in/second_factor';

export const codeField = 'code';

/** The page on which a user who has entered the password proves the second factor. */
export function SecondFactorPage({
  csrfToken,
  signOutToken,
  user,
  returnTo,
  keptForm,
  hasApp,
  passkeyOptions,
  error,
}: {
  csrfToken: string;
  /** CSRF token of the session. */
  signOutToken: string;
  user: User;
  returnTo: string;
  /** The form of an expired session, as text; empty without one. */
  keptForm: string;
  /** Whether the user has an authenticator app. */
  hasApp: boolean;
  /** `null` when the user has no passkey. */
  passkeyOptions: object | null;
  error?: string;
}) {
  const title = 'Second factor';
  const errors = error === undefined ? [] : [{ field: codeField, message: error }];
  const fields = hiddenFields({ returnTo, keptForm });
  return (
    <Layout
      title={title}
      narrow
      form={{ csrfToken, path: secondFactorPath, errors }}
      {...(passkeyOptions !== null && { script: 'passkey.js' })}
    >
      <h1>{title}</h1>
      <ErrorSummary />
      <p>
        Your password is correct. Confirm that it is you, <strong>{user.email}</strong>.
      </p>
      {passkeyOptions !== null && (
        <PasskeyForm
          action={secondFactorPath}
          csrfToken={csrfToken}
          kind="use"
          options={passkeyOptions}
          fields={fields}
          button="Use a passkey"
        />
      )}
      <form method="post" action={secondFactorPath} noValidate>
        <CsrfField />
        {fields.map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <TextField
          id={codeField}
          label={hasApp ? 'Code' : 'Recovery code'}
          hint={
            user.onlySingleSignOn
              ? 'Your account uses single sign-on only. Without it, owners enter one of their recovery codes.'
              : hasApp
                ? 'The six digits that your authenticator app shows, or one of your recovery codes.'
                : 'Without your passkey, enter one of your recovery codes.'
          }
          autocomplete="one-time-code"
          maxLength={40}
        />
        <button type="submit" {...(passkeyOptions !== null && { class: 'secondary' })}>
          Continue
        </button>
      </form>
      <p>Lost both? Contact an owner or administrator of your account.</p>
      <SignOutForm csrfToken={signOutToken} />
    </Layout>
  );
}
