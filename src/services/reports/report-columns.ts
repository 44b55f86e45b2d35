import type { Employee } from '../employees/employee.js';

export type ColumnType = 'string' | 'date_time' | 'integer';

/** What a column is called, in requests and in front of people, and what its values are. */
export interface ColumnDescription {
  readonly key: string;
  readonly label: string;
  readonly type: ColumnType;
}

/** A column that reports have, and the member of an employee that it shows. */
export interface ReportColumn extends ColumnDescription {
  readonly key: ColumnKey;
  readonly member: keyof Employee;
}

export type ColumnKey =
  | 'id'
  | 'employee_number'
  | 'first_name'
  | 'last_name'
  | 'email'
  | 'status'
  | 'department'
  | 'updated_at';

/** Every column that a report can show, filter, sort or group by. */
export const reportColumns: readonly ReportColumn[] = [
  { key: 'id', label: 'ID', type: 'string', member: 'id' },
  { key: 'employee_number', label: 'Employee number', type: 'string', member: 'employeeNumber' },
  { key: 'first_name', label: 'First name', type: 'string', member: 'firstName' },
  { key: 'last_name', label: 'Last name', type: 'string', member: 'lastName' },
  { key: 'email', label: 'E-mail', type: 'string', member: 'email' },
  { key: 'status', label: 'Status', type: 'string', member: 'status' },
  { key: 'department', label: 'Department', type: 'string', member: 'department' },
  { key: 'updated_at', label: 'Updated at', type: 'date_time', member: 'updatedAt' },
];

export const allColumnKeys: readonly ColumnKey[] = reportColumns.map(({ key }) => key);

const byKey = new Map<string, ReportColumn>(reportColumns.map((column) => [column.key, column]));

/** The column with this key. */
export function columnOf(key: ColumnKey): ReportColumn {
  const column = byKey.get(key);
  // Definitions are checked before they are stored; nothing of one may reach a statement unknown.
  if (column === undefined) throw new Error(`There is no report column ${key}`);
  return column;
}
