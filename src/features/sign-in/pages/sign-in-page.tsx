import { FlashMessage } from '../../../platform/pages/flash.js';
import { ButtonForm, Hidden } from '../../../platform/pages/form-parts.js';
import { Layout } from '../../../platform/pages/layout.js';
import {
  forgotPasswordPath,
  singleSignOnAddress,
  singleSignOnFormPath,
  singleSignOnPath,
} from '../../../platform/pages/paths.js';
import { hiddenFields, PasskeyForm } from '../../second-factors/index.js';

/**
 * Leads from the sign-in page to single sign-on: a link, or a form when the account is known or the form of an expired session is
 * kept.
 */
function SingleSignOnLink({
  returnTo,
  keptForm,
  accountId,
}: {
  returnTo: string;
  keptForm: string;
  /** The account of the user, if it is known. */
  accountId?: string | undefined;
}) {
  const label = 'Sign in with single sign-on';
  if (keptForm === '' && accountId === undefined) {
    return (
      <p>
        <a class="button secondary" href={singleSignOnAddress(returnTo)}>
          {label}
        </a>
      </p>
    );
  }
  return (
    <ButtonForm
      action={accountId === undefined ? singleSignOnFormPath : singleSignOnPath(accountId)}
      hidden={hiddenFields({ returnTo, keptForm })}
    >
      {label}
    </ButtonForm>
  );
}

/** Path of the form that signs a user in with a passkey only. */
export const passkeySignInPath = '/sign_in/passkey';

/** The sign-in page, also for a form whose session had expired. */
export function SignInPage({
  csrfToken,
  returnTo,
  keptForm = '',
  email = '',
  flash = '',
  error,
  accountId,
  passkeyOptions,
  application,
}: {
  csrfToken: string;
  returnTo: string;
  /** The form of an expired session, as text. */
  keptForm?: string;
  email?: string;
  /** Name of a flash message. */
  flash?: string;
  error?: string;
  /** The account whose identity provider the user must use. */
  accountId?: string;
  /** Options for a browser that signs in with a passkey. */
  passkeyOptions: object;
  /** Name of the application that asks for access. */
  application?: string | undefined;
}) {
  const fields = hiddenFields({ returnTo, keptForm });
  const invalid = error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'error' };
  return (
    <Layout
      title={error === undefined ? 'Sign in' : 'Error: Sign in'}
      narrow
      script="passkey.js"
      form={{ csrfToken, path: '/sign_in' }}
    >
      <h1>Sign in</h1>
      <FlashMessage code={flash} />
      {application !== undefined && (
        <p>
          to continue to <strong>{application}</strong>
        </p>
      )}
      {keptForm !== '' && <p>Your session has expired. Sign in to return to the form with your input.</p>}
      {error !== undefined && (
        <p id="error" class="alert" role="alert">
          {error}
        </p>
      )}
      <form method="post" action="/sign_in">
        <Hidden fields={fields} />
        <label>
          E-mail address
          <input type="email" name="email" value={email} autocomplete="username" required {...invalid} />
        </label>
        <label>
          Password
          <input type="password" name="password" autocomplete="current-password" required {...invalid} />
        </label>
        <button type="submit">Sign in</button>
      </form>
      <p class="or">or</p>
      <PasskeyForm
        action={passkeySignInPath}
        kind="use"
        options={passkeyOptions}
        fields={fields}
        button="Use a passkey"
        secondary
      />
      <SingleSignOnLink {...{ returnTo, keptForm, accountId }} />
      <p class="aside">
        <a href={forgotPasswordPath}>Forgot your password?</a>
      </p>
    </Layout>
  );
}
