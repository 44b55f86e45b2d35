import type { Employee } from '../services/employees/employee.js';
import { givenAttributes } from '../services/employees/employee-attributes.js';
import type { Column } from './data-table.js';
import { type DirectorySearch, directoryAddress } from './directory-address.js';

const otherAttributes = givenAttributes.filter(({ inDirectory }) => inDirectory);

/** Columns of the directory. The link in a heading sorts by its column, and reverses the order when it already does. */
export function directoryColumns({ text, order }: DirectorySearch): Column<Employee>[] {
  const sortable = (key: string, label: string, cell: Column<Employee>['cell']): Column<Employee> => {
    const ascending = order === key;
    const sorted = ascending ? 'ascending' : order === `-${key}` ? 'descending' : undefined;
    const next = ascending ? `-${key}` : key;
    const mark = sorted === undefined ? '' : ascending ? ' ↑' : ' ↓';
    return {
      key,
      label,
      sorted,
      cell,
      heading: (
        <a href={directoryAddress({ text, order: next })}>
          {label}
          <span aria-hidden="true">{mark}</span>
        </a>
      ),
    };
  };
  return [
    sortable('name', 'Name', ({ firstName, lastName }) => (
      <strong>
        {lastName}, {firstName}
      </strong>
    )),
    sortable('number', 'Number', ({ employeeNumber }) => employeeNumber),
    { key: 'email', label: 'E-mail', heading: 'E-mail', cell: ({ email }) => <Email address={email} /> },
    sortable('department', 'Department', ({ department }) => department),
    ...otherAttributes.map(({ name, label, member }) => ({
      key: name,
      label,
      heading: label,
      cell: (employee: Employee) => employee[member],
    })),
    sortable('status', 'Status', ({ status }) => <span class="badge">{statusWords(status)}</span>),
  ];
}

/** An e-mail address that may be wrapped before its domain. */
function Email({ address }: { address: string }) {
  const [name, ...domain] = address.split('@');
  return (
    <>
      {name}
      {domain.length > 0 && (
        <>
          <wbr />@{domain.join('@')}
        </>
      )}
    </>
  );
}

/** A status as text: `on_leave` becomes "On leave". */
function statusWords(status: string): string {
  const words = status.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
