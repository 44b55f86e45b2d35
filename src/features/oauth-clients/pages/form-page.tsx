import { type ApplicationSettings, yesOrNo } from '../../../oauth/clients/application-settings.js';
import { scopeLabel } from '../../../oauth/consent/scope-labels.js';
import { maximumApplicationName } from '../../../platform/accounts/name-rules.js';
import {
  describedBy,
  ErrorSummary,
  Fact,
  Facts,
  FieldError,
  type FormError,
} from '../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../platform/pages/layout.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { type ApplicationForm, fieldIds } from './application-form.js';
import { ClientSecretField } from './client-secret-field.js';
import { ClientTypeField } from './client-type-field.js';
import { RedirectUriField } from './redirect-uri-field.js';

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
      <Facts>
        <Fact name="Name">{name}</Fact>
        <Fact name="Redirect URIs">{redirectUris.length === 0 ? 'None' : redirectUris.join(' ')}</Fact>
        <Fact name="Scopes">{scopes.join(' ')}</Fact>
        <Fact name="Secret required">{yesOrNo(requireClientSecret)}</Fact>
      </Facts>
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
