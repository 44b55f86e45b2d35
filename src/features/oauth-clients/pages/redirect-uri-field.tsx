import { describedBy, FieldError } from '../../../platform/pages/form-parts.js';
import { fieldIds } from './application-form.js';

/** The redirect URIs, one on each line. */
export function RedirectUriField({
  uris,
  errors,
  production,
}: {
  uris: readonly string[];
  errors: readonly string[];
  production: boolean;
}) {
  const id = fieldIds.redirectUris;
  const hint = `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>Redirect URIs</label>
      <p class="hint" id={hint}>
        Where users are sent after signing in, one on each line. Required for the authorization code flow. A
        redirect URI starts with <code>https://</code>
        {production ? (
          ''
        ) : (
          <>
            , or with <code>http://localhost</code> for development
          </>
        )}
        . Other schemes, such as <code>myapp://</code>, are not accepted: phone apps use an{' '}
        <code>https://</code> link that the app opens.
      </p>
      <FieldError field={id} message={errors.length === 0 ? undefined : errors.join(' ')} />
      <textarea
        class="code"
        id={id}
        name={id}
        rows={Math.min(Math.max(uris.length + 1, 3), 21)}
        placeholder="https://"
        autocomplete="off"
        spellcheck={false}
        {...describedBy(id, { error: errors.length > 0, hint })}
      >
        {uris.join('\n')}
      </textarea>
    </div>
  );
}
