import { type ApplicationSettings, formatBoolean } from '../../../oauth/clients/application-settings.js';
import type { ClientType } from '../../../oauth/clients/client-registry.js';
import { scopeLabel } from '../../../oauth/consent/scope-labels.js';
import { maximumApplicationName } from '../../../platform/accounts/name-rules.js';
import {
  DescriptionItem,
  DescriptionList,
  describedBy,
  ErrorSummary,
  FieldError,
  type FormError,
} from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { type ApplicationForm, fieldIds } from './application-form.js';

/** The setting that every token request must contain the client secret. */
function ClientSecretField({ required }: { required: boolean }) {
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

/** The redirect URIs, one on each line. */
function RedirectUriField({
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
function ClientTypeField({ chosen, error }: { chosen: ClientType | ''; error: string | undefined }) {
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

/** Form that creates or changes an application. */
export function ApplicationFormPage({
  context,
  title,
  action,
  back,
  button,
  form,
  errors = [],
  hidden,
  scopes,
  production,
  stored,
}: {
  context: PageContext;
  title: string;
  action: string;
  back: string;
  button: string;
  form: ApplicationForm;
  errors?: readonly FormError[];
  /** Hidden field: `form` identifies a new form, `version` the settings that are edited. */
  hidden: { readonly form: string } | { readonly version: string };
  scopes: readonly string[];
  production: boolean;
  /** The saved settings, when another user has changed them meanwhile. */
  stored?: ApplicationSettings;
}) {
  const messages = new Map(errors.map((error) => [error.field, error.message]));
  return (
    <SitePage context={context} title={title} hasErrors={errors.length > 0} current="applications">
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      {stored !== undefined && <StoredSettings settings={stored} />}
      <form method="post" action={action} noValidate class="fields">
        <CsrfField token={context.csrfToken} />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <NameField value={form.name} error={messages.get(fieldIds.name)} />
        {'form' in hidden && (
          <ClientTypeField chosen={form.clientType} error={messages.get(fieldIds.clientType)} />
        )}
        <RedirectUriField
          uris={form.redirectUris}
          errors={errors.flatMap(({ field, message }) => (field === fieldIds.redirectUris ? [message] : []))}
          production={production}
        />
        <ScopeFields scopes={scopes} chosen={form.scopes} messages={messages} />
        {('form' in hidden || form.clientType === 'confidential') && (
          <ClientSecretField required={form.requireClientSecret} />
        )}
        <div class="actions">
          <button type="submit">{button}</button>
          <a href={back}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}

function StoredSettings({
  settings: { name, redirectUris, scopes, requireClientSecret },
}: {
  settings: ApplicationSettings;
}) {
  return (
    <section>
      <h2>Saved values</h2>
      <DescriptionList>
        <DescriptionItem name="Name">{name}</DescriptionItem>
        <DescriptionItem name="Redirect URIs">
          {redirectUris.length === 0 ? 'None' : redirectUris.join(' ')}
        </DescriptionItem>
        <DescriptionItem name="Scopes">{scopes.join(' ')}</DescriptionItem>
        <DescriptionItem name="Secret required">{formatBoolean(requireClientSecret)}</DescriptionItem>
      </DescriptionList>
      <h2>Your values</h2>
    </section>
  );
}

function NameField({ value, error }: { value: string; error: string | undefined }) {
  return (
    <div class="field">
      <label for={fieldIds.name}>Name</label>
      <p class="hint" id="name-hint">
        Shown to users on the consent screen.
      </p>
      <FieldError field={fieldIds.name} message={error} />
      <input
        type="text"
        id={fieldIds.name}
        name="name"
        value={value}
        maxLength={maximumApplicationName}
        autocomplete="off"
        required
        {...describedBy(fieldIds.name, { error: error !== undefined, hint: 'name-hint' })}
      />
    </div>
  );
}

function ScopeFields({
  scopes,
  chosen,
  messages,
}: {
  scopes: readonly string[];
  chosen: readonly string[];
  messages: ReadonlyMap<string, string>;
}) {
  const first = fieldIds.scope(scopes[0] ?? '');
  const error = messages.get(first);
  return (
    <fieldset {...describedBy(first, { error: error !== undefined, hint: 'scopes-hint' })}>
      <legend>Scopes</legend>
      <p class="hint" id="scopes-hint">
        The application can request these scopes and no others. Select only the ones that it needs.
      </p>
      <FieldError field={first} message={error} />
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
