import type { PageContext } from '../../../platform/pages/page-context.js';
import { DateInWords, Timestamp } from '../../../platform/pages/timestamp.js';
import type { Employee } from '../employee.js';
import type { EmployeeAttribute } from '../employee-attributes.js';
import { StatusBadge } from './directory-columns.js';
import { employeeAddress, fullName } from './employee-pages.js';

/** The value of an attribute as text; a dash for none. */
export function AttributeValue({
  attribute: { name, member, type },
  employee,
  manager,
  reader,
}: {
  attribute: EmployeeAttribute;
  employee: Employee;
  /** The employee's manager. */
  manager: Employee | null;
  reader: PageContext['user'];
}) {
  if (name === 'manager_id') return manager === null ? <>–</> : <EmployeeLink employee={manager} />;
  const value = employee[member];
  if (value === null) return <>–</>;
  if (value instanceof Date) return <Timestamp at={value} reader={reader} />;
  if (type === 'date') return <DateInWords date={value} reader={reader} />;
  if (name === 'status') return <StatusBadge status={value} />;
  return <bdi>{value}</bdi>;
}

/** The name of an employee as a link to its page. */
export function EmployeeLink({ employee }: { employee: Employee }) {
  return (
    <a href={employeeAddress(employee.id)}>
      <bdi>{fullName(employee)}</bdi>
    </a>
  );
}
