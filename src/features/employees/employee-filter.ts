import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { employeePosition } from '../../platform/database/ids.js';
import { type EmployeeColumn, type EmployeeMember, employeeColumns } from './employee.js';

/** Values of an attribute, one of which an employee must have; `null` or an empty text: employees without a value. */
export type ValueFilter = readonly (string | null)[];

/** A range of the values of an attribute, as text of one format, which sorts as the values. The range can be empty. */
export interface RangeFilter {
  /** The first value of the range. */
  readonly from?: string | undefined;
  /** The first value after the range. */
  readonly before?: string | undefined;
}

/** A filter of employees. An employee must match all members that are present. */
export type EmployeeFilter = { readonly [Member in EmployeeMember]?: ValueFilter | RangeFilter | undefined };

/** A condition on employees, and the columns that it reads. */
export interface EmployeeCondition {
  readonly columns: readonly EmployeeColumn[];
  readonly sql: Prisma.Sql;
  /** Whether an empty text is no value for it, as in the maintained counts by location. Default: it is a value. */
  readonly emptyIsNoValue?: true;
  /** Whether an index has the employees that meet it in the order of ids. Default: false. */
  readonly inIdOrder?: boolean;
}

export function filterConditions(
  accountId: AccountId,
  filter: EmployeeFilter,
  columns = employeeColumns,
): EmployeeCondition[] {
  return Object.entries(filter).flatMap(([member, wanted]) => {
    if (wanted === undefined) return [];
    const column = columns[member as EmployeeMember];
    const inIdOrder = column.facets === 'employee_facets' && isValueFilter(wanted) && wanted.length === 1;
    return [{ columns: [column], sql: matches(accountId, column, wanted), emptyIsNoValue: true, inIdOrder }];
  });
}

function matches(
  accountId: AccountId,
  column: EmployeeColumn,
  wanted: ValueFilter | RangeFilter,
): Prisma.Sql {
  if (!isValueFilter(wanted)) return isInRange(column, wanted);
  const texts = wanted.filter((value): value is string => value !== null && value !== '');
  const hasValue = () =>
    column === employeeColumns.email ? isOneOfInAnyCase(accountId, texts) : isOneOf(column, texts);
  if (texts.length === wanted.length) return hasValue();
  const without = hasNoValue(column);
  return texts.length === 0 ? without : Prisma.sql`(${hasValue()} OR ${without})`;
}

/** Whether a filter has values and no range. */
export function isValueFilter(wanted: ValueFilter | RangeFilter): wanted is ValueFilter {
  return Array.isArray(wanted);
}

/**
 * Most addresses are in lower case. The column `folded_email` has the lower case of the others. Two queries and not OR, for which
 * PostgreSQL would read all employees, because bitmap scans are off for pages.
 */
function isOneOfInAnyCase(accountId: AccountId, addresses: readonly string[]): Prisma.Sql {
  const found = addresses.flatMap((address) =>
    ['email', 'folded_email'].map(
      (name) => Prisma.sql`
      SELECT position FROM employees
      WHERE account_id = ${accountId} AND ${Prisma.raw(name)} = lower(${address} COLLATE "C")`,
    ),
  );
  return Prisma.sql`position = ANY (ARRAY(${Prisma.join(found, ' UNION ALL ')}))`;
}

/** Builds the condition that the values of a column are in a range. Its parameters are strings. */
export function isInRange(column: EmployeeColumn, { from, before }: RangeFilter): Prisma.Sql {
  // PostgreSQL takes a range that ends before it starts for one with employees, and would read all employees to find them.
  if (from !== undefined && before !== undefined && from >= before) return Prisma.sql`false`;
  const bounds = [
    ...(from === undefined ? [] : [compare(column, '>=', from)]),
    ...(from === undefined || column.from === undefined ? [] : [column.from(from)]),
    ...(before === undefined ? [] : [compare(column, '<', before)]),
  ];
  return bounds.length === 0 ? Prisma.sql`true` : Prisma.join(bounds, ' AND ');
}

/** Builds the condition that a column compares with a value. Its parameter is a string. */
export function compare(
  { name, type }: Pick<EmployeeColumn, 'name' | 'type'>,
  operator: '=' | '<>' | '<' | '<=' | '>' | '>=',
  text: string,
): Prisma.Sql {
  const cast = Prisma.raw(type === 'text' ? '::text' : `::text::${type}`);
  return Prisma.sql`${name} ${Prisma.raw(operator)} ${text}${cast}`;
}

/** Builds the condition that a column has one of the values. Its parameters are strings and arrays of strings. */
export function isOneOf(column: EmployeeColumn, texts: readonly string[]): Prisma.Sql {
  if (column === employeeColumns.id) return hasOneOfIds(texts);
  const [first] = texts;
  // With `=`, PostgreSQL can read the rows in the order of an index.
  if (first !== undefined && texts.length === 1) return compare(column, '=', first);
  // One parameter for the list: with one for each value, a statement is much slower where parameters are settings.
  return Prisma.sql`${column.name} = ANY (${textArray(texts, column)})`;
}

/** Builds the expression for an array of values of a column. Its parameter is an array of strings. */
export function textArray(texts: readonly string[], { type }: Pick<EmployeeColumn, 'type'>): Prisma.Sql {
  const array = Prisma.sql`${texts}::text[]`;
  return type === 'text' ? array : Prisma.sql`${array}::${Prisma.raw(type)}[]`;
}

/** Finds ids by their positions, which the index contains. */
function hasOneOfIds(ids: readonly string[]): Prisma.Sql {
  const positions = ids.map(employeePosition);
  if (ids.length === 1)
    return Prisma.sql`(position = ${String(positions[0])}::text::int8 AND id = ${ids[0]}::text)`;
  // The positions are one text, because with row-level security PostgreSQL does not use an index for a cast from text[].
  return Prisma.sql`(position = ANY (${`{${positions}}`}::text::int8[]) AND id = ANY (${ids}::text[]))`;
}

/** Builds the condition that a column has no value. An empty text is none. */
export function hasNoValue({ name, type }: Pick<EmployeeColumn, 'name' | 'type'>): Prisma.Sql {
  return type === 'text' ? Prisma.sql`(${name} IS NULL OR ${name} = '')` : Prisma.sql`${name} IS NULL`;
}
