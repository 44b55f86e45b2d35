import { csrfField } from '../http/browser-sessions.js';
import { maximumPagePairs, parseForm } from '../http/form-parser.js';
import { Fields } from './fields.js';
import { ButtonForm, type HiddenFields } from './form-parts.js';
import { Layout } from './layout.js';

/** Field of the sign-in form with the form of an expired session. */
export const keptFormField = 'kept_form';

/** Field of a form that is shown again with its values. Such a submission changes nothing. */
export const restoreField = 'restore_form';

/** Maximum characters of a kept form, so that the sign-in form stays below the maximum size of a body. */
const maximumLength = 16 * 1024;

/** A form with a CSRF token, as text; `null` when it is too large. Passwords and secrets are omitted. */
export function keepForm(form: Fields, csrfToken: string): string | null {
  const fields = form
    .entries()
    .filter(([name]) => name !== restoreField && name !== csrfField && !/password|secret/i.test(name));
  const text = keepFormOf(fields, csrfToken);
  return text.length <= maximumLength ? text : null;
}

/** A form of {@link readKeptForm} as text, with another CSRF token. */
export function keepFormOf(fields: HiddenFields, csrfToken: string): string {
  return new URLSearchParams([
    [csrfField, csrfToken],
    ...fields.map(([name, value]) => [name, value]),
  ]).toString();
}

/** The form of an expired session: its CSRF token and its other fields. */
export interface KeptForm {
  readonly token: string;
  readonly fields: HiddenFields;
}

/**
 * Reads the text of {@link keepForm}; `null` when it is too large.
 *
 * @throws {Problem} 400 `invalid_request` when it is not percent-encoded UTF-8 or has more pairs than a form of a page can have
 */
export function readKeptForm(text: string): KeptForm | null {
  if (text.length > maximumLength) return null;
  const entries = new Fields(parseForm(text, maximumPagePairs)).entries();
  const token = entries.find(([name]) => name === csrfField)?.[1] ?? '';
  return { token, fields: entries.filter(([name]) => name !== csrfField) };
}

/** The page after signing in, from which the user returns to the form. It is a form, so that no value is in a URL. */
export function KeptFormPage({
  csrfToken,
  action,
  fields,
}: {
  csrfToken: string;
  action: string;
  fields: HiddenFields;
}) {
  return (
    <Layout title="You are signed in again" narrow form={{ csrfToken, path: action }}>
      <h1>You are signed in again</h1>
      <p>
        Your session had expired before you submitted the form, so nothing was saved. The form contains your
        input. Submit it again to save it.
      </p>
      <ButtonForm action={action} className={null} hidden={[...fields, [restoreField, 'yes']]}>
        Return to the form
      </ButtonForm>
      <p>
        <a href={action}>Discard your input</a>
      </p>
    </Layout>
  );
}
