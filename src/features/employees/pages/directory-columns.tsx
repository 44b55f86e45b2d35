import { Badge, type Tone } from '../../../platform/pages/badge.js';
import type { Column } from '../../../platform/pages/data-table.js';
import { Email } from '../../../platform/pages/wrapped-text.js';
import { type Employee, fullName, listName } from '../employee.js';
import { formatStatus, givenAttributes, knownStatuses } from '../employee-attributes.js';
import { type DirectorySearch, directoryAddress } from './directory-address.js';
import { employeeAddress } from './employee-addresses.js';
import { Avatar, JobTitle } from './person.js';

const otherAttributes = givenAttributes.filter(({ inDirectory }) => inDirectory);

/** Columns of the directory. The link in a heading sorts by its column, and reverses the order when it already does. */
export function directoryColumns(
  search: DirectorySearch,
  /** Form to which the selected people belong, and whether all are selected; absent: none can be selected. */
  selection?: { readonly form: string; readonly all: boolean },
): Column<Employee>[] {
  const { order } = search;
  const sortable = (
    key: string,
    label: string,
    cell: Column<Employee>['cell'],
    kind?: Column<Employee>['kind'],
  ): Column<Employee> => {
    const ascending = order === key;
    const sorted = ascending ? 'ascending' : order === `-${key}` ? 'descending' : undefined;
    const next = ascending ? `-${key}` : key;
    const mark = sorted === undefined ? '' : ascending ? ' ↑' : ' ↓';
    return {
      label,
      sorted,
      cell,
      ...(kind && { kind }),
      heading: (
        <a href={directoryAddress({ ...search, order: next })}>
          {label}
          <span aria-hidden="true">{mark}</span>
        </a>
      ),
    };
  };
  const byName = sortable('name', 'Name', (person) => (
    <div class="person">
      {selection !== undefined && (
        <input
          type="checkbox"
          form={selection.form}
          name="employee"
          value={person.id}
          checked={selection.all}
          aria-label={`Select ${fullName(person)}`}
        />
      )}
      <Avatar person={person} />
      <div>
        <a href={employeeAddress(person.id)}>{listName(person)}</a>
        <JobTitle person={person} />
      </div>
    </div>
  ));
  return [
    {
      ...byName,
      heading: (
        <>
          {selection !== undefined && <SelectPage all={selection.all} />}
          {byName.heading}
        </>
      ),
    },
    sortable('number', 'Number', ({ employeeNumber }) => employeeNumber, 'short'),
    { label: 'E-mail', cell: ({ email }) => <Email address={email} /> },
    sortable('department', 'Department', ({ department }) => department),
    ...otherAttributes.map(({ label, member }) => ({
      label,
      cell: (employee: Employee) => employee[member] ?? '–',
    })),
    sortable('status', 'Status', ({ status }) => <StatusBadge status={status} />, 'short'),
  ];
}

/** Selects all people of the page. The script shows it: without the script, a link above the table does the same. */
function SelectPage({ all }: { all: boolean }) {
  return (
    <input
      type="checkbox"
      id="select-page"
      checked={all}
      autocomplete="off"
      aria-label="Select all people on this page"
      hidden
    />
  );
}

/** The status of an employee. */
export function StatusBadge({ status }: { status: string }) {
  return <Badge {...toneOf(status)}>{formatStatus(status)}</Badge>;
}

const tones: Readonly<Record<(typeof knownStatuses)[number], Tone>> = {
  active: 'good',
  on_leave: 'caution',
  inactive: 'ended',
  terminated: 'ended',
};

/** The colour of a status; none for a status that this version does not know. */
function toneOf(status: string): { tone?: Tone } {
  const known = knownStatuses.find((other) => other === status);
  return known === undefined ? {} : { tone: tones[known] };
}
