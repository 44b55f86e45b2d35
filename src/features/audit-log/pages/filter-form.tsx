import type { ComponentChildren } from 'preact';
import { FieldError, useDescription } from '../../../platform/pages/form-parts.js';
import { auditEventLabels } from './audit-event-labels.js';
import { type AuditQuery, auditLogPath, operator } from './resolve-filter.js';

/** Values that the form offers. */
export interface FilterChoices {
  readonly people: readonly { readonly email: string; readonly name: string }[];
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  readonly timeZone: string;
}

/** Form with the filters of the audit log. */
export function FilterForm({
  query,
  choices: { people, applications, timeZone },
}: {
  query: AuditQuery;
  choices: FilterChoices;
}) {
  const field = (id: keyof AuditQuery, label: string, input: ComponentChildren) => (
    <div>
      <label for={id}>{label}</label>
      <FieldError field={id} />
      {input}
    </div>
  );
  const attributes = (id: keyof AuditQuery, hint?: string) => ({
    id,
    name: id,
    ...useDescription(id, hint),
  });
  const select = (id: 'application' | 'type', options: readonly (readonly [string, string])[]) => (
    <select {...attributes(id)}>
      <option value="">All</option>
      {options.map(([value, text]) => (
        <option key={value} value={value} selected={value === query[id]}>
          {text}
        </option>
      ))}
    </select>
  );
  const day = (id: 'from' | 'to') => <input type="date" value={query[id]} {...attributes(id, 'time-zone')} />;
  return (
    <search>
      <form method="get" action={auditLogPath} class="search filters">
        {field(
          'person',
          'E-mail address',
          <input
            type="text"
            value={query.person}
            list="people"
            autocomplete="off"
            {...attributes('person', 'person-hint')}
          />,
        )}
        <datalist id="people">
          {people.map(({ email, name }) => (
            <option key={email} value={email}>
              {name}
            </option>
          ))}
          <option value={operator}>Command line</option>
        </datalist>
        {field('application', 'Application', select('application', applicationOptions(query, applications)))}
        {field('type', 'Event type', select('type', Object.entries(auditEventLabels)))}
        {field('from', 'First day', day('from'))}
        {field('to', 'Last day', day('to'))}
        <div class="choice">
          <input type="checkbox" value="1" checked={query.tokens === '1'} {...attributes('tokens')} />
          <label for="tokens">Show token events</label>
        </div>
        <p class="hint">
          <span id="person-hint">
            The user <code>{operator}</code> is the command line.
          </span>{' '}
          <span id="time-zone">Days are in the time zone {timeZone}.</span>
        </p>
        <div class="actions">
          <button type="submit">Show</button>
          <a href={auditLogPath}>Remove the filters</a>
        </div>
      </form>
    </search>
  );
}

/** The applications, and the selected one also if it was deleted or the list is too long for it. */
function applicationOptions(
  { application }: AuditQuery,
  applications: FilterChoices['applications'],
): [string, string][] {
  const options = applications.map(({ id, name }): [string, string] => [id, name]);
  const isListed = application === '' || applications.some(({ id }) => id === application);
  return isListed ? options : [...options, [application, `Application ${application}`]];
}
