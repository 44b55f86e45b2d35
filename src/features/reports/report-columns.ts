import { customKey } from '../../platform/contract/attribute-access.js';
import {
  type AttributeName,
  type AttributeType,
  type CustomAttribute,
  type CustomType,
  type EmployeeMember,
  employeeAttributes,
} from '../employees/index.js';
import type { ColumnDescription, ColumnType } from './column-description.js';
import { type ComputedKey, computedGroup } from './computed-keys.js';

export type { ColumnDescription } from './column-description.js';

/** A column of reports. */
interface AnyColumn extends ColumnDescription {
  readonly key: ColumnKey;
  /** Whether employees can have no value, or the empty string. */
  readonly canBeEmpty: boolean;
}

/** The id or an attribute of the contract, and the member of an employee that it shows. */
interface ContractColumn extends AnyColumn {
  readonly key: ContractKey;
  readonly member: EmployeeMember;
  readonly custom?: never;
}

/** A custom attribute of the account. */
interface CustomColumn extends AnyColumn {
  readonly key: CustomColumnKey;
  readonly custom: CustomAttribute;
}

export type ReportColumn = ContractColumn | CustomColumn;

type ContractKey = 'id' | AttributeName;
type CustomColumnKey = `custom.${string}`;

export type ColumnKey = ContractKey | CustomColumnKey;

const types: Readonly<Record<AttributeType, ColumnType>> = {
  text: 'string',
  date: 'date',
  timestamptz: 'date_time',
};

const customTypes: Readonly<Record<CustomType, ColumnType>> = {
  text: 'string',
  long_text: 'string',
  number: 'number',
  date: 'date',
  boolean: 'boolean',
  choice: 'string',
  choices: 'list',
  employee: 'string',
};

/** The columns that every account has: the id and the attributes of the contract. */
export const reportColumns: readonly ContractColumn[] = [
  { key: 'id', label: 'ID', type: 'string', member: 'id', canBeEmpty: false },
  ...employeeAttributes.map(({ name, label, type, member, nullable }) => ({
    key: name,
    label,
    type: types[type],
    member,
    canBeEmpty: nullable || type === 'text',
  })),
];

export const allColumnKeys: readonly ContractKey[] = reportColumns.map(({ key }) => key);

/** A column, or a value that is computed from dates and that only groups have. */
export type GroupKey = ColumnKey | ComputedKey;

/** The columns that a reader can show, filter, sort or group by, by key: those of the contract, then custom attributes. */
export type ReportColumns = ReadonlyMap<string, ReportColumn>;

export const contractColumns: ReportColumns = new Map(reportColumns.map((column) => [column.key, column]));

/** The columns of a reader with these custom attributes. */
export function columnsWith(attributes: readonly CustomAttribute[]): ReportColumns {
  if (attributes.length === 0) return contractColumns;
  const custom = attributes.map((attribute): CustomColumn => {
    const { name, label, type } = attribute;
    return {
      key: name as CustomColumnKey,
      label,
      type: customTypes[type],
      canBeEmpty: true,
      custom: attribute,
    };
  });
  return new Map([...contractColumns, ...custom.map((column) => [column.key, column] as const)]);
}

/** The description of a key of groups. */
export function describeGroupKey(key: GroupKey, columns: ReportColumns): ColumnDescription {
  return computedGroup(key) ?? columnOf(key as ColumnKey, columns);
}

export function columnOf(key: ColumnKey, columns: ReportColumns): ReportColumn {
  const column = columns.get(key);
  // Definitions are validated before they are stored and before they run. An unknown key must not reach a statement.
  if (column === undefined) throw new Error(`There is no report column ${key}`);
  return column;
}

/** Whether a key is that of a custom attribute. */
export function isCustomKey(key: string): boolean {
  return customKey(key) !== undefined;
}

/** Whether the values of a column are ids of employees. */
export function hasEmployees(key: string, columns: ReportColumns): boolean {
  return key === 'manager_id' || columns.get(key)?.custom?.type === 'employee';
}

/** Whether reports can be sorted by a column. */
export function isSortable({ custom }: ReportColumn): boolean {
  return custom?.type !== 'long_text' && custom?.type !== 'choices';
}

/** Whether reports can be grouped by a column. Other custom attributes have too many values. */
export function isGroupable({ custom }: ReportColumn): boolean {
  return custom === undefined || ['choice', 'boolean', 'date'].includes(custom.type);
}
