import { ErrorSummary } from './form-parts.js';
import { CsrfField } from './layout.js';
import { type ConfirmationRequest, confirmationField } from './page-context.js';
import { ConfirmSignInPage } from './single-sign-on/confirm-page.js';
import { SitePage, settings } from './site-page.js';
import { TextField } from './text-field.js';

/** The page on which a user enters the password again or signs in again, and which then submits the form. */
export function confirmationPage(request: ConfirmationRequest) {
  return request.context.singleSignOn ? (
    <ConfirmSignInPage {...request} />
  ) : (
    <ConfirmPasswordPage {...request} />
  );
}

function ConfirmPasswordPage({ context, fields, error }: ConfirmationRequest) {
  const title = 'Confirm your password';
  const errors = error === undefined ? [] : [{ field: confirmationField, message: error }];
  return (
    <SitePage context={context} title={title} hasErrors={errors.length > 0}>
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <p>You have not entered your password for more than ten minutes. Enter it to continue.</p>
      <form method="post" action={context.path} class="fields">
        <CsrfField token={context.csrfToken} />
        {fields.map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        {/* For password managers. */}
        <input type="text" value={context.user.email} autocomplete="username" hidden readOnly />
        <TextField
          id={confirmationField}
          label="Password"
          type="password"
          autocomplete="current-password"
          error={error}
        />
        <div class="actions">
          <button type="submit">Continue</button>
          <a href={settings.root}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}
