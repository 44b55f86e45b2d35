import { maximumNameLength } from '../../services/applications/application-settings.js';
import { describedBy, ErrorSummary, FieldFault, type FormFault } from '../form-parts.js';
import { CsrfField } from '../layout.js';
import { scopeLabel } from '../scope-labels.js';
import type { Visit } from '../site.js';
import { SitePage } from '../site-page.js';
import { type ApplicationForm, fieldIds } from './application-form.js';
import { ClientSecretField } from './client-secret-field.js';
import { ClientTypeField } from './client-type-field.js';
import { RedirectUriFields } from './redirect-uri-fields.js';

/** The form that makes an application, or changes one. */
export function ApplicationFormPage({
  visit,
  title,
  action,
  back,
  button,
  form,
  faults = [],
  hidden,
  scopes,
  production,
  moreLines = false,
}: {
  visit: Visit;
  title: string;
  action: string;
  back: string;
  button: string;
  form: ApplicationForm;
  faults?: readonly FormFault[];
  /** What the form carries besides what is filled in. */
  hidden: { readonly form: string } | { readonly version: string };
  scopes: readonly string[];
  production: boolean;
  moreLines?: boolean;
}) {
  const words = new Map(faults.map((fault) => [fault.field, fault.words]));
  return (
    <SitePage visit={visit} title={title} faulty={faults.length > 0} current="applications">
      <h1>{title}</h1>
      <ErrorSummary faults={faults} />
      <form method="post" action={action} noValidate class="fields">
        {/* The Enter key presses a form's first button, which must not be the one for more lines. */}
        <button type="submit" class="default" tabIndex={-1} aria-hidden="true">
          {button}
        </button>
        <CsrfField token={visit.csrfToken} />
        {Object.entries(hidden).map(([name, value]) => (
          <input key={name} type="hidden" name={name} value={value} />
        ))}
        <NameField value={form.name} fault={words.get(fieldIds.name)} />
        {'form' in hidden && (
          <ClientTypeField chosen={form.clientType} fault={words.get(fieldIds.clientType)} />
        )}
        <RedirectUriFields uris={form.redirectUris} {...{ words, production, moreLines }} />
        <ScopeFields scopes={scopes} chosen={form.scopes} words={words} />
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

function NameField({ value, fault }: { value: string; fault: string | undefined }) {
  return (
    <div class="field">
      <label for={fieldIds.name}>Name</label>
      <p class="hint" id="name-hint">
        People see it when they are asked to allow the application something.
      </p>
      <FieldFault field={fieldIds.name} words={fault} />
      <input
        type="text"
        id={fieldIds.name}
        name="name"
        value={value}
        maxLength={maximumNameLength}
        autocomplete="off"
        required
        {...describedBy(fieldIds.name, { fault: fault !== undefined, hint: 'name-hint' })}
      />
    </div>
  );
}

function ScopeFields({
  scopes,
  chosen,
  words,
}: {
  scopes: readonly string[];
  chosen: readonly string[];
  words: ReadonlyMap<string, string>;
}) {
  const first = fieldIds.scope(scopes[0] ?? '');
  const fault = words.get(first);
  return (
    <fieldset {...describedBy(first, { fault: fault !== undefined, hint: 'scopes-hint' })}>
      <legend>Scopes</legend>
      <p class="hint" id="scopes-hint">
        The most that the application can ever do. Give it no more than it needs.
      </p>
      <FieldFault field={first} words={fault} />
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
