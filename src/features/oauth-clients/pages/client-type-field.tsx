import type { ClientType } from '../../../oauth/clients/client-registry.js';
import { describedBy, FieldError } from '../../../platform/pages/form-parts.js';
import { fieldIds } from './application-form.js';

const types: readonly { type: ClientType; name: string; description: string }[] = [
  {
    type: 'confidential',
    name: 'Confidential',
    description: 'Runs on a server that can keep a secret. Has a client ID and a client secret.',
  },
  {
    type: 'public',
    name: 'Public',
    description:
      'Runs in a browser, on a phone or on a desktop. Has a client ID and no secret, and uses PKCE.',
  },
];

/** Display name of a client type. */
export function clientTypeName(type: ClientType): string {
  return types.find((known) => known.type === type)?.name ?? type;
}

/** Radio buttons for the client type. */
export function ClientTypeField({ chosen, error }: { chosen: ClientType | ''; error: string | undefined }) {
  return (
    <fieldset {...describedBy(fieldIds.clientType, { error: error !== undefined, hint: 'client-type-hint' })}>
      <legend>Client type</legend>
      <p class="hint" id="client-type-hint">
        The client type cannot be changed later.
      </p>
      <FieldError field={fieldIds.clientType} message={error} />
      {types.map(({ type, name, description }) => (
        <label key={type} class="choice">
          <input
            type="radio"
            id={`client_type_${type}`}
            name="client_type"
            value={type}
            checked={type === chosen}
          />
          <span>
            <strong>{name}</strong> {description}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
