import type { ComponentChildren } from 'preact';
import type { User } from '../../../platform/accounts/user.js';
import type { Users } from '../../../platform/accounts/users.js';
import { isDateText } from '../../../platform/contract/outside-text.js';
import { endOfDay, startOfDay } from '../../../platform/pages/days.js';
import { type Fields, isRecordId } from '../../../platform/pages/fields.js';
import { FieldError, type FormError, useDescription } from '../../../platform/pages/form-parts.js';
import { formatTimeCursor, readTimeCursor } from '../../../platform/pages/pager.js';
import { settings } from '../../../platform/pages/paths.js';
import { timeZoneOf } from '../../../platform/pages/timestamp.js';
import type { AuditAnchor, AuditFilter } from '../audit-log-reader.js';
import { auditEventLabels, isAuditEventType } from './audit-event-labels.js';

/** Names of the filters in the URL. */
const filterNames = ['person', 'application', 'type', 'from', 'to', 'tokens'] as const;

/** Values of the filters in the URL; empty without a filter. */
export type AuditQuery = Readonly<Record<(typeof filterNames)[number], string>>;

/** Reads the filters of a URL. */
export function readAuditQuery(query: Fields): AuditQuery {
  return Object.fromEntries(filterNames.map((name) => [name, query.text(name)])) as AuditQuery;
}

/** URL of the audit log with these filters. */
export function auditAddress(
  query: Partial<AuditQuery>,
  { after, path = settings.auditLog }: { after?: AuditAnchor; path?: string } = {},
): string {
  const parameters = new URLSearchParams();
  for (const name of filterNames) {
    const value = query[name];
    if (value !== undefined && value !== '') parameters.set(name, value);
  }
  if (after !== undefined) parameters.set('after', formatTimeCursor({ at: after.createdAt, id: after.id }));
  return parameters.size === 0 ? path : `${path}?${parameters}`;
}

/** Parses the cursor of a page. Any other value selects the first page. */
export function readAnchor(text: string): AuditAnchor | undefined {
  const cursor = readTimeCursor(text);
  return cursor && { createdAt: cursor.at, id: cursor.id };
}

/** Value of the filter `person` for events without a user or a request. Every e-mail address has an @. */
const operator = 'operator';

/** Who is responsible for events of the command line and of work in the background. */
export const operatorLabel = 'The service or its operator';

/** The selected events, or the errors of the filters. */
type ResolvedFilter =
  | { readonly filter: AuditFilter; readonly errors?: never }
  | { readonly filter?: never; readonly errors: readonly FormError[] };

/** Validates the filters of a URL. Days are in the time zone of the viewer, and `to` is included. */
export async function resolveFilter(
  query: AuditQuery,
  { viewer, users }: { viewer: User; users: Pick<Users, 'findIdByEmail'> },
): Promise<ResolvedFilter> {
  const errors: FormError[] = [];
  const check = (field: keyof AuditQuery, isValid: boolean, message: string) => {
    if (query[field] !== '' && !isValid) errors.push({ field, message });
  };
  const { person, application, type, from, to, tokens } = query;
  const userId =
    person === '' || person === operator ? null : await users.findIdByEmail(viewer.accountId, person);
  check('person', person === operator || userId !== null, 'No user of your account has this e-mail address.');
  check('application', isRecordId(application), 'Select an application of the list.');
  check('type', isAuditEventType(type), 'Select a type of the list.');
  check('from', isDay(from), 'Enter the first day as a date from 1970, such as 2026-11-20.');
  check('to', isDay(to), 'Enter the last day as a date from 1970, such as 2026-11-20.');
  if (isDay(from) && isDay(to)) check('to', from <= to, 'The last day must not be before the first day.');
  check('tokens', tokens === '1', 'The value of tokens must be 1.');
  if (errors.length > 0) return { errors };
  const zone = timeZoneOf(viewer);
  return {
    filter: {
      actor: person === operator ? operator : userId === null ? undefined : { userId },
      applicationId: application === '' ? undefined : application,
      type: isAuditEventType(type) ? type : undefined,
      from: from === '' ? undefined : startOfDay(from, zone),
      before: to === '' ? undefined : endOfDay(to, zone),
      tokenEvents: tokens === '1',
    },
  };
}

function isDay(text: string): boolean {
  return isDateText(text) && text >= '1970-01-01' && text <= '9999-12-30';
}

/** Values that the form offers. */
export interface AuditFilterChoices {
  readonly people: readonly { readonly email: string; readonly name: string }[];
  readonly applications: readonly { readonly id: string; readonly name: string }[];
  readonly timeZone: string;
}

/** Form with the filters of the audit log. */
export function AuditFilterForm({
  query,
  choices: { people, applications, timeZone },
}: {
  query: AuditQuery;
  choices: AuditFilterChoices;
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
      <form method="get" action={settings.auditLog} class="search filters">
        <details open={filterNames.some((name) => query[name] !== '')}>
          <summary>Filters</summary>
          <div class="more">
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
              <option value={operator}>{operatorLabel}</option>
            </datalist>
            {field(
              'application',
              'Application',
              select('application', applicationOptions(query, applications)),
            )}
            {field('type', 'Event type', select('type', Object.entries(auditEventLabels)))}
            {field('from', 'First day', day('from'))}
            {field('to', 'Last day', day('to'))}
            <div class="choice">
              <input type="checkbox" value="1" checked={query.tokens === '1'} {...attributes('tokens')} />
              <label for="tokens">Show token events</label>
            </div>
            <p class="hint">
              <span id="person-hint">
                Enter <code>{operator}</code> for events of the service itself and of its operator.
              </span>{' '}
              <span id="time-zone">Days are in the time zone {timeZone}.</span>
            </p>
            <div class="actions">
              <button type="submit">Show</button>
              <a href={settings.auditLog}>Remove the filters</a>
            </div>
          </div>
        </details>
      </form>
    </search>
  );
}

/** The applications, and the selected one also if it was deleted or the list is too long for it. */
function applicationOptions(
  { application }: AuditQuery,
  applications: AuditFilterChoices['applications'],
): [string, string][] {
  const options = applications.map(({ id, name }): [string, string] => [id, name]);
  const isListed = application === '' || applications.some(({ id }) => id === application);
  return isListed ? options : [...options, [application, `Application ${application}`]];
}
