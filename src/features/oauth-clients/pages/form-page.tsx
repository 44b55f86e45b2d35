import type { ClientType } from '../../../oauth/clients/client-registry.js';
import { scopeLabel } from '../../../oauth/scopes.js';
import { maximumApplicationName } from '../../../platform/accounts/name-rules.js';
import { CheckboxField } from '../../../platform/pages/checkbox-field.js';
import { FieldError, Form, TextField, useDescription } from '../../../platform/pages/form-parts.js';
import { AttributeChoices, type CustomAttribute } from '../../employees/index.js';
import { UriField } from './application-fields.js';
import { type ApplicationForm, fieldIds } from './application-form.js';
import { ExpiryFields, type ExpiryForm } from './expiry-fields.js';
import { ProtocolFields } from './protocol-fields.js';

/** The setting that every token request must contain the client secret. */
function ClientSecretField({ required }: { required: boolean }) {
  return (
    <CheckboxField
      id={fieldIds.requireClientSecret}
      title="Client secret"
      label="Require the client secret for every token request"
      checked={required}
    >
      Applies to confidential applications. When it is off, a stolen refresh token, or a stolen authorization
      code with its verifier, can be exchanged without the secret.
    </CheckboxField>
  );
}

/** The redirect URIs, one on each line. */
function RedirectUriField({ uris }: { uris: readonly string[] }) {
  return (
    <UriField id={fieldIds.redirectUris} label="Redirect URIs" uris={uris}>
      Where users are sent after signing in, one on each line. Required for the authorization code flow. A
      redirect URI starts with <code>https://</code>, or in an application in development with{' '}
      <code>http://localhost</code>. Other schemes, such as <code>myapp://</code>, are not accepted: phone
      apps use an <code>https://</code> link that the app opens.
    </UriField>
  );
}

/** The state in which redirect URIs on the user's own computer are valid. */
function DevelopmentField({ inDevelopment, isNew }: { inDevelopment: boolean; isNew: boolean }) {
  return (
    <CheckboxField
      id={fieldIds.inDevelopment}
      title="Development"
      label="In development"
      checked={inDevelopment}
    >
      Redirect URIs can then start with <code>http://localhost</code>: without a port, any port is accepted.
      Users see on the consent screen that the application is in development.{' '}
      {isNew ? (
        'A new application with such a URI is always in development.'
      ) : (
        <>
          To turn it off, use redirect URIs that start with <code>https://</code>.
        </>
      )}
    </CheckboxField>
  );
}

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
function ClientTypeField({ chosen }: { chosen: ClientType | '' }) {
  return (
    <fieldset {...useDescription(fieldIds.clientType, 'client-type-hint')}>
      <legend>Client type</legend>
      <p class="hint" id="client-type-hint">
        The client type cannot be changed later.
      </p>
      <FieldError field={fieldIds.clientType} />
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

/** Form that creates or changes an application. */
export function ApplicationFields({
  action,
  back,
  button,
  expiry,
  form,
  custom,
  nonce,
  scopes,
}: {
  /** Default: the path of the page. */
  action?: string;
  back: string;
  button: string;
  /** Of the first secret of a new application. */
  expiry?: ExpiryForm;
  form: ApplicationForm;
  /** The custom attributes of the account. */
  custom: readonly CustomAttribute[];
  /** Identifies a new form. */
  nonce?: string;
  scopes: readonly string[];
}) {
  const isNew = nonce !== undefined;
  return (
    <Form action={action} hidden={isNew ? [['form', nonce]] : []} button={button} cancel={back}>
      <TextField
        id={fieldIds.name}
        label="Name"
        hint="Shown to users on the consent screen."
        value={form.name}
        autocomplete="off"
        maxLength={maximumApplicationName}
      />
      {isNew && <ClientTypeField chosen={form.clientType} />}
      <DevelopmentField inDevelopment={form.inDevelopment} isNew={isNew} />
      <RedirectUriField uris={form.redirectUris} />
      <ScopeFields scopes={scopes} chosen={form.scopes} />
      <AttributeChoices selected={form.readableAttributes} custom={custom} />
      {(isNew || form.clientType === 'confidential') && (
        <ClientSecretField required={form.requireClientSecret} />
      )}
      {expiry !== undefined && <ExpiryFields form={expiry} label="The client secret expires" />}
      <ProtocolFields form={form} />
    </Form>
  );
}

/** The scopes that an application can request. */
export function ScopeFields({
  scopes,
  chosen,
  legend = 'Scopes',
  hint = 'The application can request these scopes and no others. Select only the ones that it needs.',
}: {
  scopes: readonly string[];
  chosen: readonly string[];
  legend?: string;
  hint?: string;
}) {
  const first = fieldIds.scope(scopes[0] ?? '');
  return (
    <fieldset {...useDescription(first, 'scopes-hint')}>
      <legend>{legend}</legend>
      <p class="hint" id="scopes-hint">
        {hint}
      </p>
      <FieldError field={first} />
      {scopes.map((scope) => (
        <label key={scope} class="choice">
          <input
            type="checkbox"
            id={fieldIds.scope(scope)}
            name="scopes"
            value={scope}
            checked={chosen.includes(scope)}
          />
          <span>
            <code>{scope}</code> {scopeLabel(scope)}
          </span>
        </label>
      ))}
    </fieldset>
  );
}
