import { ErrorSummary } from '../../../platform/pages/form-parts.js';
import { keptFormField } from '../../../platform/pages/kept-form.js';
import { CsrfField, Layout } from '../../../platform/pages/layout.js';
import { signInAddress, singleSignOnFormPath } from '../../../platform/pages/paths.js';
import { TextField } from '../../../platform/pages/text-field.js';

/** The page on which a user enters the address whose domain has an identity provider. */
export function EmailPage({
  csrfToken,
  returnTo,
  keptForm = '',
  email = '',
  error,
}: {
  csrfToken: string;
  returnTo: string;
  /** The form of an expired session, as text. */
  keptForm?: string;
  email?: string;
  error?: string;
}) {
  const title = 'Single sign-on';
  return (
    <Layout title={error === undefined ? title : `Error: ${title}`} narrow>
      <h1>{title}</h1>
      <ErrorSummary errors={error === undefined ? [] : [{ field: 'email', message: error }]} />
      <p>Enter your work e-mail address. You then sign in at the identity provider of your organization.</p>
      <form method="post" action={singleSignOnFormPath} noValidate>
        <CsrfField token={csrfToken} />
        <input type="hidden" name="return_to" value={returnTo} />
        {keptForm !== '' && <input type="hidden" name={keptFormField} value={keptForm} />}
        <TextField
          id="email"
          label="Work e-mail address"
          type="email"
          value={email}
          autocomplete="username"
          maxLength={320}
          error={error}
        />
        <button type="submit">Continue</button>
      </form>
      <p>
        <a href={signInAddress(returnTo)}>Sign in another way</a>
      </p>
    </Layout>
  );
}
