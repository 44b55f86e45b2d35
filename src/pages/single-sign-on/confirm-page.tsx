import { ErrorSummary } from '../form-parts.js';
import { CsrfField } from '../layout.js';
import { type ConfirmationRequest, confirmationField } from '../page-context.js';
import { SitePage, settings } from '../site-page.js';
import { confirmPath } from './paths.js';

const linkId = 'sign-in-again';

/**
 * The page on which a user signs in again at the identity provider, and then submits the form. The identity provider is
 * opened in another tab, so that the form stays in this one and its values are not stored on the server.
 */
export function ConfirmSignInPage({ context, fields, error }: ConfirmationRequest) {
  const title = 'Confirm that it is you';
  const errors = error === undefined ? [] : [{ field: linkId, message: error }];
  return (
    <SitePage context={context} title={title} hasErrors={errors.length > 0}>
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <p>
        You have not signed in for more than ten minutes. Sign in again at your identity provider, then come
        back to this page and continue.
      </p>
      <p>
        <a id={linkId} class="button secondary" href={confirmPath} target="_blank" rel="noopener">
          Sign in again (opens in a new tab)
        </a>
      </p>
      <form method="post" action={context.path}>
        <CsrfField token={context.csrfToken} />
        {fields.map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        <input type="hidden" name={confirmationField} value="single sign-on" />
        <div class="actions">
          <button type="submit">Continue</button>
          <a href={settings.root}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}
