import { Prisma } from '../../database/client.js';

export type ColumnType = 'string' | 'date_time' | 'integer';

/** What a column is called, in requests and in front of people, and what its values are. */
export interface ColumnDescription {
  readonly key: string;
  readonly label: string;
  readonly type: ColumnType;
}

/** A column of the employees that reports know, and where it is stored. */
export interface ReportColumn extends ColumnDescription {
  readonly key: ColumnKey;
  readonly stored: Prisma.Sql;
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
  { key: 'id', label: 'ID', type: 'string', stored: Prisma.sql`id` },
  { key: 'employee_number', label: 'Employee number', type: 'string', stored: Prisma.sql`employee_number` },
  { key: 'first_name', label: 'First name', type: 'string', stored: Prisma.sql`first_name` },
  { key: 'last_name', label: 'Last name', type: 'string', stored: Prisma.sql`last_name` },
  { key: 'email', label: 'E-mail', type: 'string', stored: Prisma.sql`email` },
  { key: 'status', label: 'Status', type: 'string', stored: Prisma.sql`status` },
  { key: 'department', label: 'Department', type: 'string', stored: Prisma.sql`department` },
  { key: 'updated_at', label: 'Updated at', type: 'date_time', stored: Prisma.sql`updated_at` },
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
