import { fieldIds } from './application-form.js';

/** The setting that every token request must contain the client secret. */
export function ClientSecretField({ required }: { required: boolean }) {
  const id = fieldIds.requireClientSecret;
  return (
    <fieldset aria-describedby={`${id}-hint`}>
      <legend>Client secret</legend>
      <p class="hint" id={`${id}-hint`}>
        Applies to confidential applications. When it is off, a stolen refresh token, or a stolen
        authorization code with its verifier, can be exchanged without the secret.
      </p>
      <label class="choice">
        <input type="checkbox" id={id} name="require_client_secret" value="yes" checked={required} />
        <span>Require the client secret for every token request</span>
      </label>
    </fieldset>
  );
}
