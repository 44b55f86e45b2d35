import { maximumRedirectUris } from '../../services/applications/application-settings.js';
import { maximumRedirectUriLength } from '../../services/applications/redirect-uri.js';
import { describedBy, FieldFault } from '../form-parts.js';
import { fieldIds } from './application-form.js';

/** A line for each redirect URI, with what is wrong with it, and empty ones for more. */
export function RedirectUriFields({
  uris,
  words,
  production,
  moreLines,
}: {
  uris: readonly string[];
  words: ReadonlyMap<string, string>;
  production: boolean;
  moreLines: boolean;
}) {
  const blanks = Math.min(moreLines ? 4 : 1, Math.max(0, maximumRedirectUris - uris.length));
  const lines = [...uris, ...Array<string>(blanks).fill('')];
  return (
    <fieldset aria-describedby="redirect-uris-hint">
      <legend>Redirect URIs</legend>
      <p class="hint" id="redirect-uris-hint">
        Where people come back to after they signed in, one address a line. It must start with{' '}
        <code>https://</code>
        {production ? (
          ''
        ) : (
          <>
            , or with <code>http://localhost</code> for development
          </>
        )}
        . Needed for the authorization code flow only.
      </p>
      {lines.map((uri, index) => {
        const id = fieldIds.redirectUri(index);
        const fault = words.get(id);
        return (
          <div class="field" key={id}>
            <label for={id} class="quiet">
              Redirect URI {index + 1}
            </label>
            <FieldFault field={id} words={fault} />
            <input
              type="url"
              id={id}
              name="redirect_uris"
              value={uri}
              maxLength={maximumRedirectUriLength}
              placeholder="https://"
              autocomplete="off"
              spellcheck={false}
              autofocus={moreLines && index === uris.length}
              {...describedBy(id, { fault: fault !== undefined })}
            />
          </div>
        );
      })}
      {lines.length < maximumRedirectUris && (
        <button type="submit" name="action" value="more_lines" class="quiet">
          More lines
        </button>
      )}
    </fieldset>
  );
}
