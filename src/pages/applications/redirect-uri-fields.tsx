import { maximumRedirectUris } from '../../services/applications/application-settings.js';
import { maximumRedirectUriLength } from '../../services/applications/redirect-uri.js';
import { describedBy, FieldError } from '../form-parts.js';
import { fieldIds } from './application-form.js';

/** A field for each redirect URI with its error, and empty fields after them. */
export function RedirectUriFields({
  uris,
  messages,
  production,
  uriFields,
}: {
  uris: readonly string[];
  messages: ReadonlyMap<string, string>;
  production: boolean;
  /** Number of fields after "Add another URI"; otherwise there is one empty field. */
  uriFields: number | undefined;
}) {
  const fieldCount = Math.max(uris.length, uriFields ?? Math.min(uris.length + 1, maximumRedirectUris));
  const values = [...uris, ...Array<string>(fieldCount - uris.length).fill('')];
  return (
    <fieldset aria-describedby="redirect-uris-hint">
      <legend>Redirect URIs</legend>
      <p class="hint" id="redirect-uris-hint">
        Where users are sent after signing in, one per field. A redirect URI must start with{' '}
        <code>https://</code>
        {production ? (
          ''
        ) : (
          <>
            , or with <code>http://localhost</code> for development
          </>
        )}
        . Required only for the authorization code flow.
      </p>
      {values.map((uri, index) => {
        const id = fieldIds.redirectUri(index);
        const error = messages.get(id);
        return (
          <div class="field" key={id}>
            <label for={id} class="quiet">
              Redirect URI {index + 1}
            </label>
            <FieldError field={id} message={error} />
            <input
              type="url"
              id={id}
              name="redirect_uris"
              value={uri}
              maxLength={maximumRedirectUriLength}
              placeholder="https://"
              autocomplete="off"
              spellcheck={false}
              autofocus={uriFields !== undefined && index === uris.length}
              {...describedBy(id, { error: error !== undefined })}
            />
          </div>
        );
      })}
      {values.length < maximumRedirectUris && (
        <button type="submit" name="redirect_uri_fields" value={fieldCount + 1} class="quiet">
          Add another URI
        </button>
      )}
    </fieldset>
  );
}
