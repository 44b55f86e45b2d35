import { TextField, useDescription } from '../../../platform/pages/form-parts.js';
import { type ApplicationForm, fieldIds } from './application-form.js';
import { UriField } from './uri-field.js';

/** The URIs to which the application may send users that it signs out, one on each line. */
function PostLogoutRedirectUriField({ uris }: { uris: readonly string[] }) {
  return (
    <UriField id={fieldIds.postLogoutRedirectUris} label="Sign-out redirect URIs" uris={uris}>
      Where users can be sent after the application has signed them out, one on each line. Optional. The rules
      of redirect URIs apply.
    </UriField>
  );
}

/** Whether every token must be bound to a key of the application. */
function ProofOfPossessionField({ required }: { required: boolean }) {
  const id = fieldIds.requireProofOfPossession;
  return (
    <fieldset {...useDescription(id, `${id}-hint`)}>
      <legend>Proof of possession</legend>
      <p class="hint" id={`${id}-hint`}>
        Every token is then bound to a key of the application (DPoP), so that a stolen token is useless
        without the key. Token requests without a proof of the key are rejected. Tokens that were issued
        before stay valid until they expire.
      </p>
      <label class="choice">
        <input type="checkbox" id={id} name={id} value="yes" checked={required} />
        <span>Require proof of possession</span>
      </label>
    </fieldset>
  );
}

/** Whether authorization requests must be pushed. */
function PushedRequestsField({ required }: { required: boolean }) {
  const id = fieldIds.requirePushedRequests;
  return (
    <fieldset {...useDescription(id, `${id}-hint`)}>
      <legend>Authorization requests</legend>
      <p class="hint" id={`${id}-hint`}>
        The application then sends each authorization request from its server first (PAR), so that the address
        in the browser cannot be changed. Other authorization requests are rejected.
      </p>
      <label class="choice">
        <input type="checkbox" id={id} name={id} value="yes" checked={required} />
        <span>Require pushed requests</span>
      </label>
    </fieldset>
  );
}

/** Settings of the protocol that most applications leave as they are. They are shown when one of them is set. */
export function ProtocolFields({ form }: { form: ApplicationForm }) {
  const { postLogoutRedirectUris, requireProofOfPossession, requirePushedRequests, backchannelLogoutUri } =
    form;
  const isSet =
    postLogoutRedirectUris.length > 0 ||
    requireProofOfPossession ||
    requirePushedRequests ||
    backchannelLogoutUri !== null;
  return (
    <details open={isSet}>
      <summary>More settings: proof of possession, pushed requests, sign-out</summary>
      <ProofOfPossessionField required={requireProofOfPossession} />
      <PushedRequestsField required={requirePushedRequests} />
      <PostLogoutRedirectUriField uris={postLogoutRedirectUris} />
      <TextField
        id={fieldIds.backchannelLogoutUri}
        label="Back-channel logout URI"
        hint="Optional. When a user signs out, the application gets a logout token of OpenID Connect there. Starts with https://."
        type="url"
        value={backchannelLogoutUri ?? ''}
        required={false}
        autocomplete="off"
        maxLength={2048}
      />
    </details>
  );
}
