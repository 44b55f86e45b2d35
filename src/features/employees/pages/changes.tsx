import { contractAnd } from '../../../platform/contract/attribute-access.js';
import type { components } from '../../../platform/contract/generated.js';
import { Empty } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { CursorPager } from '../../../platform/pages/pager.js';
import { settings } from '../../../platform/pages/paths.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { found } from '../../../platform/problems/problem.js';
import type { CustomAttribute } from '../custom-attributes.js';
import { formatCustomValue } from '../custom-values.js';
import { fullName } from '../employee.js';
import { formatStatus, givenAttributes } from '../employee-attributes.js';
import { AttributeText, type EmployeeNames, NameLink } from './custom-section.js';
import { employeeAddress } from './employee-addresses.js';
import { employeeFrame } from './employee-header.js';
import { type EmployeePagesDependencies, requestedEmployee } from './requested.js';

type EmployeeChange = components['schemas']['EmployeeChange'];
type ChangedValue = EmployeeChange['attributes']['changes'][number];
type Value = ChangedValue['from'];

const changesPerPage = 50;

/** The changes of an employee, for owners and administrators. */
export function changesPages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, history } = dependencies;

  site.get(employeeAddress(':employee_id', 'changes'), async (context) => {
    const { accountId } = context.user;
    const [employee, custom, incompleteBefore] = await Promise.all([
      requestedEmployee(context, dependencies),
      employees.customAttributes(accountId),
      history.incompleteBefore(accountId),
    ]);
    const before = readPosition(context.query.text('after'));
    const page = await history.page(accountId, {
      employeeId: employee.id,
      before,
      size: changesPerPage,
      access: contractAnd(custom.map(({ key }) => key)),
    });
    const { changes: documents, next } = found(page);
    const changes = documents.map((document): EmployeeChange => JSON.parse(document));
    const attributes = [...givenAttributes, ...custom];
    const [names, userNames] = await Promise.all([
      employees.names(accountId, new Set(employeeIds(changes, attributes))),
      history.userNames(accountId, userIds(changes)),
    ]);
    const shown = { attributes, names, userNames };
    const { heading, tabs } = employeeFrame(context, employee, 'changes');
    const name = fullName(employee);
    const path = employeeAddress(employee.id, 'changes');
    return {
      title: `Changes of ${name}`,
      parent: { title: name, href: employeeAddress(employee.id) },
      heading,
      body: (
        <>
          {tabs}
          <p class="hint">
            Changes are kept for {history.retentionDays} days.
            {incompleteBefore !== null && <EarlierChanges before={incompleteBefore} />}
          </p>
          {changes.length === 0 ? (
            <Empty title="No changes are recorded.">
              <p>The employee has not been changed in this time.</p>
            </Empty>
          ) : (
            <ol class="changes">
              {changes.map((change) => (
                <Change key={change.id} change={change} shown={shown} />
              ))}
            </ol>
          )}
          <CursorPager
            first={before === undefined ? undefined : path}
            next={next === null ? undefined : `${path}?after=${next}`}
            newestFirst
          />
        </>
      ),
    };
  });
}

/** The position of the last change of the previous page; `undefined`, for the first page, when it is missing or invalid. */
function readPosition(text: string): number | undefined {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : undefined;
}

/** Whether the values of an attribute are ids of employees. */
function isEmployee({ name, type }: ShownAttribute): boolean {
  return name === 'manager_id' || type === 'employee';
}

function employeeIds(changes: readonly EmployeeChange[], attributes: readonly ShownAttribute[]): string[] {
  const names = new Set(attributes.filter(isEmployee).map(({ name }) => name));
  return changes.flatMap((change) =>
    change.attributes.changes.flatMap(({ attribute, from, to }) =>
      names.has(attribute) ? [from, to].filter((id) => typeof id === 'string') : [],
    ),
  );
}

function userIds(changes: readonly EmployeeChange[]): string[] {
  return changes.map(({ attributes }) => attributes.actor.user_id).filter((id) => id !== null);
}

/** An account that existed before its changes were kept with both values has the earlier ones in the audit log. */
function EarlierChanges({ before }: { before: Date }) {
  return (
    <>
      {' '}
      Those before <Timestamp at={before} /> are in the <a href={settings.auditLog}>audit log</a>.
    </>
  );
}

type ShownAttribute = Pick<CustomAttribute | (typeof givenAttributes)[number], 'name' | 'label' | 'type'>;

/** A changed value, with its attribute. */
interface ShownValue extends Pick<ChangedValue, 'from' | 'to'> {
  readonly attribute: ShownAttribute;
}

/** What the changes of a page refer to. */
interface Shown {
  readonly attributes: readonly ShownAttribute[];
  readonly names: ReadonlyMap<string, string>;
  readonly userNames: ReadonlyMap<string, string>;
}

/** How a change was made, if it was not a form or a command for single employees. */
const ways: Readonly<Record<string, string>> = {
  import: ' with an import',
  import_undo: ' by undoing an import',
};

function Change({ change: { attributes }, shown }: { change: EmployeeChange; shown: Shown }) {
  const { kind, occurred_at, source, actor, changes } = attributes;
  const isNew = kind === 'created';
  // In the order of the page of the employee, which the API does not have for custom attributes.
  const values = shown.attributes.flatMap((attribute) =>
    changes.flatMap((value) =>
      value.attribute === attribute.name && !(isNew && value.to === '') ? [{ ...value, attribute }] : [],
    ),
  );
  const list = (
    <dl class="facts">
      {values.map((value) => (
        <div key={value.attribute.name}>
          <dt>{value.attribute.label}</dt>
          <dd>
            <Values value={value} isNew={isNew} names={shown.names} />
          </dd>
        </div>
      ))}
    </dl>
  );
  return (
    <li>
      <p>
        <strong>
          <bdi>{actorName(actor, shown)}</bdi>
        </strong>{' '}
        {isNew ? 'added the employee' : 'changed'}
        {ways[source]}
        <span class="hint">
          <Timestamp at={new Date(occurred_at)} />
        </span>
      </p>
      {isNew ? (
        <details>
          <summary>{values.length} values</summary>
          {list}
        </details>
      ) : (
        list
      )}
    </li>
  );
}

function actorName({ user_id }: EmployeeChange['attributes']['actor'], { userNames }: Shown): string {
  return user_id === null ? 'The command line' : (userNames.get(user_id) ?? 'A deleted user');
}

function Values({
  value: { attribute, from, to },
  isNew,
  names,
}: {
  value: ShownValue;
  isNew: boolean;
  names: Shown['names'];
}) {
  const text = (value: Value) => <ValueText {...{ attribute, value, names }} />;
  if (isNew) return text(to);
  return (
    <>
      {text(from)} <span aria-hidden="true">→</span>
      <span class="unseen"> changed to </span> {text(to)}
    </>
  );
}

function ValueText({
  attribute,
  value,
  names,
}: {
  attribute: ShownAttribute;
  value: Value;
  names: EmployeeNames;
}) {
  if (value === null || value === '') return <span class="note">none</span>;
  const text = formatCustomValue(value);
  if (attribute.name === 'status') return <bdi>{formatStatus(text)}</bdi>;
  if (isEmployee(attribute)) return <NameLink id={text} names={names} />;
  return <AttributeText type={attribute.type} {...{ text, names }} />;
}
