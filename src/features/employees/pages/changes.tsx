import { auditRetentionDays } from '../../../platform/audit/audit-log.js';
import { Empty } from '../../../platform/pages/data-table.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { CursorPager, formatTimeCursor, readTimeCursor } from '../../../platform/pages/pager.js';
import { Timestamp } from '../../../platform/pages/timestamp.js';
import { fullName } from '../employee.js';
import { formatStatus } from '../employee-attributes.js';
import type { ChangedValue, EmployeeChange } from '../employee-history.js';
import { AttributeText, type EmployeeNames, NameLink } from './custom-section.js';
import { employeeAddress } from './employee-addresses.js';
import { employeeFrame } from './employee-header.js';
import { type EmployeePagesDependencies, requestedEmployee } from './requested.js';

const changesPerPage = 50;

/** The changes of an employee, for owners and administrators. */
export function changesPages(site: PageRouter, dependencies: EmployeePagesDependencies): void {
  const { employees, readHistory } = dependencies;

  site.get(employeeAddress(':employee_id', 'changes'), async (context) => {
    const { accountId } = context.user;
    const [employee, custom] = await Promise.all([
      requestedEmployee(context, dependencies),
      employees.customAttributes(accountId),
    ]);
    const after = readTimeCursor(context.query.text('after'));
    const request = { accountId, employeeId: employee.id, after, size: changesPerPage, custom };
    const { changes, more } = await readHistory(request);
    const names = await employees.names(accountId, new Set(employeeIds(changes)));
    const { heading, tabs } = employeeFrame(context, employee, 'changes');
    const name = fullName(employee);
    const address = employeeAddress(employee.id);
    const last = changes.findLast(({ fileName }) => fileName === null);
    return {
      title: `Changes of ${name}`,
      parent: { title: name, href: address },
      heading,
      body: (
        <>
          {tabs}
          <p class="hint">
            Changes are kept for {auditRetentionDays} days. Those of an import are shown as long as it can be
            undone, with the values before it.
          </p>
          {changes.length === 0 ? (
            <Empty title="No changes are recorded.">
              <p>The employee was added by an import or a command, and has not been changed since.</p>
            </Empty>
          ) : (
            <ol class="changes">
              {changes.map((change) => (
                <Change key={change.id} change={change} names={names} />
              ))}
            </ol>
          )}
          <CursorPager
            first={after === undefined ? undefined : employeeAddress(employee.id, 'changes')}
            next={
              more && last
                ? `${employeeAddress(employee.id, 'changes')}?after=${formatTimeCursor(last)}`
                : undefined
            }
            newestFirst
          />
        </>
      ),
    };
  });
}

/** Whether the values of an attribute are ids of employees. */
function isEmployee({ name, type }: ChangedValue['attribute']): boolean {
  return name === 'manager_id' || type === 'employee';
}

function employeeIds(changes: readonly EmployeeChange[]): string[] {
  return changes.flatMap(({ values }) =>
    values.flatMap(({ attribute, from, to }) =>
      isEmployee(attribute) ? [from, to].filter((id) => typeof id === 'string') : [],
    ),
  );
}

const verbs: Readonly<Record<EmployeeChange['kind'], string>> = {
  created: 'added the employee',
  updated: 'changed',
  import_created: 'added the employee with an import',
  import_updated: 'changed with an import',
};

function Change({ change, names }: { change: EmployeeChange; names: EmployeeNames }) {
  const { kind, at, fileName, values, userName, byOperator } = change;
  const list = (
    <dl class="facts">
      {values.map((value) => (
        <div key={value.attribute.name}>
          <dt>{value.attribute.label}</dt>
          <dd>
            <Values value={value} names={names} isNew={kind === 'created'} />
          </dd>
        </div>
      ))}
    </dl>
  );
  return (
    <li>
      <p>
        <strong>
          <bdi>{userName ?? (byOperator ? 'The command line' : 'A deleted user')}</bdi>
        </strong>{' '}
        {verbs[kind]}
        {fileName !== null && (
          <>
            {' '}
            of <bdi>{fileName}</bdi>
          </>
        )}
        <span class="hint">
          <Timestamp at={at} />
        </span>
      </p>
      {kind === 'created' ? (
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

function Values({ value, names, isNew }: { value: ChangedValue; names: EmployeeNames; isNew: boolean }) {
  const { attribute, from, to } = value;
  const text = (one: string | null) => <ValueText {...{ attribute, names }} text={one} />;
  if (isNew || from === undefined) return <>{text(to ?? null)}</>;
  if (to === undefined) return <>before: {text(from)}</>;
  return (
    <>
      {text(from)} <span aria-hidden="true">→</span>
      <span class="unseen"> changed to </span> {text(to)}
    </>
  );
}

function ValueText({
  attribute,
  text,
  names,
}: {
  attribute: ChangedValue['attribute'];
  text: string | null;
  names: EmployeeNames;
}) {
  if (text === null) return <span class="note">none</span>;
  if (attribute.name === 'status') return <bdi>{formatStatus(text)}</bdi>;
  if (isEmployee(attribute)) return <NameLink id={text} names={names} />;
  return <AttributeText type={attribute.type} {...{ text, names }} />;
}
