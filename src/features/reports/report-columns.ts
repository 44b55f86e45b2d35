import {
  type AttributeName,
  type AttributeType,
  type EmployeeMember,
  employeeAttributes,
} from '../employees/index.js';

type ColumnType = 'string' | 'date' | 'date_time' | 'integer';

/** The key of a column in requests, its label and the type of its values. */
export interface ColumnDescription {
  readonly key: string;
  readonly label: string;
  readonly type: ColumnType;
}

/** A column of reports, and the member of an employee that it shows. */
interface ReportColumn extends ColumnDescription {
  readonly key: ColumnKey;
  readonly member: EmployeeMember;
  /** Whether employees can have no value, or the empty string. */
  readonly canBeEmpty: boolean;
}

export type ColumnKey = 'id' | AttributeName;

const types: Readonly<Record<AttributeType, ColumnType>> = {
  text: 'string',
  date: 'date',
  timestamptz: 'date_time',
};

/** Every column that a report can show, filter, sort or group by: the id and the attributes of an employee. */
export const reportColumns: readonly ReportColumn[] = [
  { key: 'id', label: 'ID', type: 'string', member: 'id', canBeEmpty: false },
  ...employeeAttributes.map(({ name, label, type, member, nullable }) => ({
    key: name,
    label,
    type: types[type],
    member,
    canBeEmpty: nullable || type === 'text',
  })),
];

export const allColumnKeys: readonly ColumnKey[] = reportColumns.map(({ key }) => key);

/** A column, or a value that is computed from a column and that only groups have. */
export type GroupKey = ColumnKey | 'hire_year';

const hireYear: ColumnDescription = { key: 'hire_year', label: 'Hire year', type: 'integer' };

/** The description of a key of groups. */
export function describeGroupKey(key: GroupKey): ColumnDescription {
  return key === 'hire_year' ? hireYear : columnOf(key);
}

const byKey = new Map<string, ReportColumn>(reportColumns.map((column) => [column.key, column]));

/** The column with a key that a user has entered, if there is one. */
export function findColumn(key: string): ReportColumn | undefined {
  return byKey.get(key);
}

export function columnOf(key: ColumnKey): ReportColumn {
  const column = findColumn(key);
  // Definitions are validated before they are stored. An unknown key must not reach a statement.
  if (column === undefined) throw new Error(`There is no report column ${key}`);
  return column;
}
