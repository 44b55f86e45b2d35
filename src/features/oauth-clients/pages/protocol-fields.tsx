import { CheckboxField } from '../../../platform/pages/checkbox-field.js';
import { TextField } from '../../../platform/pages/form-parts.js';
import { UriField } from './application-fields.js';
import { type ApplicationForm, fieldIds } from './application-form.js';

/** The URIs to which the application may send users that it signs out, one on each line. */
function PostLogoutRedirectUriField({ uris }: { uris: readonly string[] }) {
  return (
    <UriField id={fieldIds.postLogoutRedirectUris} label="Sign-out redirect URIs" uris={uris}>
      Where users can be sent after the application has signed them out, one on each line. Optional. The rules
      of redirect URIs apply.
    </UriField>
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
      <CheckboxField
        id={fieldIds.requireProofOfPossession}
        title="Proof of possession"
        label="Require proof of possession"
        checked={requireProofOfPossession}
      >
        Every token is then bound to a key of the application (DPoP), so that a stolen token is useless
        without the key. Token requests without a proof of the key are rejected. Tokens that were issued
        before stay valid until they expire.
      </CheckboxField>
      <CheckboxField
        id={fieldIds.requirePushedRequests}
        title="Authorization requests"
        label="Require pushed requests"
        checked={requirePushedRequests}
      >
        The application then sends each authorization request from its server first (PAR), so that the address
        in the browser cannot be changed. Other authorization requests are rejected.
      </CheckboxField>
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
