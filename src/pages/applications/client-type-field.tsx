import type { ClientType } from '../../services/applications/client-registry.js';
import { describedBy, FieldFault } from '../form-parts.js';
import { fieldIds } from './application-form.js';

const types: readonly { type: ClientType; name: string; words: string }[] = [
  {
    type: 'confidential',
    name: 'Confidential',
    words: 'Runs on a server that can keep a secret. It gets a client ID and a client secret.',
  },
  {
    type: 'public',
    name: 'Public',
    words:
      'Runs in a browser, on a phone or a desktop. It gets a client ID only, and proves itself with PKCE.',
  },
];

/** What a client type is called. */
export function clientTypeName(type: ClientType): string {
  return types.find((known) => known.type === type)?.name ?? type;
}

/** The choice between the two client types, which is made once. */
export function ClientTypeField({ chosen, fault }: { chosen: ClientType | ''; fault: string | undefined }) {
  return (
    <fieldset {...describedBy(fieldIds.clientType, { fault: fault !== undefined, hint: 'client-type-hint' })}>
      <legend>Client type</legend>
      <p class="hint" id="client-type-hint">
        It cannot be changed later.
      </p>
      <FieldFault field={fieldIds.clientType} words={fault} />
      {types.map(({ type, name, words }) => (
        <label key={type} class="choice">
          <input
            type="radio"
            id={`client_type_${type}`}
            name="client_type"
            value={type}
            checked={type === chosen}
          />
          <span>
            <strong>{name}</strong> {words}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
