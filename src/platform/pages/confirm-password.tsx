import type { SignedInUser } from '../http/browser-sessions.js';
import { ErrorSummary } from './form-parts.js';
import { CsrfField, Layout, type Page } from './layout.js';
import { confirmationField, type PageContext, type PasswordQuestion } from './page-context.js';
import { confirmPath, settings } from './paths.js';
import { SitePage } from './site-page.js';
import { TextField } from './text-field.js';

/** The page on which a user enters the password again or signs in again, and which then submits the form. */
export function confirmationPage(context: PageContext, question: PasswordQuestion): Page {
  const hasErrors = question.error !== undefined;
  return (
    <SitePage context={context} title={titleOf(context)} hasErrors={hasErrors}>
      <ConfirmationForm {...context} {...question} action={context.path} cancel={settings.root} />
    </SitePage>
  );
}

/** The same page without navigation. */
export function narrowConfirmationPage(props: ConfirmationProps): Page {
  const title = titleOf(props);
  return (
    <Layout title={props.error === undefined ? title : `Error: ${title}`} narrow>
      <ConfirmationForm {...props} />
    </Layout>
  );
}

interface ConfirmationProps extends SignedInUser, Pick<PasswordQuestion, 'fields' | 'error'> {
  /** Whether the user confirms at the identity provider. */
  readonly singleSignOn: boolean;
  /** Address of the submitted form. */
  readonly action: string;
  readonly cancel: string;
}

function titleOf({ singleSignOn }: Pick<ConfirmationProps, 'singleSignOn'>): string {
  return singleSignOn ? 'Confirm that it is you' : 'Confirm your password';
}

const linkId = 'sign-in-again';

function ConfirmationForm(props: ConfirmationProps) {
  const { singleSignOn, user, csrfToken, action, cancel, fields, error } = props;
  const field = singleSignOn ? linkId : confirmationField;
  return (
    <>
      <h1>{titleOf(props)}</h1>
      <ErrorSummary errors={error === undefined ? [] : [{ field, message: error }]} />
      {singleSignOn ? (
        <SignInAgain />
      ) : (
        <p>You have not entered your password for more than ten minutes. Enter it to continue.</p>
      )}
      <form method="post" action={action} class="fields">
        <CsrfField token={csrfToken} />
        {fields.map(([name, value], index) => (
          <input key={index} type="hidden" name={name} value={value} />
        ))}
        {singleSignOn ? (
          <input type="hidden" name={confirmationField} value="single sign-on" />
        ) : (
          <>
            {/* For password managers. */}
            <input type="text" value={user.email} autocomplete="username" hidden readOnly />
            <TextField
              id={confirmationField}
              label="Password"
              type="password"
              autocomplete="current-password"
              error={error}
            />
          </>
        )}
        <div class="actions">
          <button type="submit">Continue</button>
          <a href={cancel}>Cancel</a>
        </div>
      </form>
    </>
  );
}

/**
 * The link to the identity provider, which is opened in another tab, so that the form stays in this one and its values are
 * not stored on the server.
 */
function SignInAgain() {
  return (
    <>
      <p>
        You have not signed in for more than ten minutes. Sign in again at your identity provider, then come
        back to this page and continue.
      </p>
      <p>
        <a id={linkId} class="button secondary" href={confirmPath} target="_blank" rel="noopener">
          Sign in again (opens in a new tab)
        </a>
      </p>
    </>
  );
}
