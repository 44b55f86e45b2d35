import { createHash } from 'node:crypto';
import pg from 'pg';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { type AttributeAccess, isReadableKey } from '../../platform/contract/attribute-access.js';
import { restrictableAttributes } from '../../platform/contract/employee-attributes.js';
import { compareText } from '../../platform/contract/outside-text.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { dateExpression, type OrderTerm } from '../../platform/database/page-query.js';
import {
  type AttributeType,
  type AttributeValues,
  employeeAttributes,
  type GivenAttribute,
  type GivenValues,
  givenAttributes,
  type OptionalMember,
} from './employee-attributes.js';

/** A value of a custom attribute. Dates are `YYYY-MM-DD`. */
export type CustomValue = string | number | boolean | readonly string[];

/** Values of custom attributes by key. Absent keys have no value. */
export type CustomValues = Readonly<Record<string, CustomValue>>;

/** The members of an employee that have a column. */
type ColumnValues = { readonly id: string } & AttributeValues;

export type Employee = ColumnValues & { readonly custom: CustomValues };

export type EmployeeMember = keyof ColumnValues;

/** A column of the table `employees`. */
export interface EmployeeColumn {
  readonly name: Prisma.Sql;
  readonly type: AttributeType | 'numeric';
  readonly nullable: boolean;
  /** Table with the number of employees for each combination of such columns, which the database maintains; `null`: none. */
  readonly facets: 'employee_facets' | 'employee_location_facets' | null;
  /** Terms that order rows by the column. */
  readonly order: ColumnOrder;
  /** Condition that every value from a text on meets, and that an index supports. Absent: the index of the column does. */
  readonly from?: (text: string) => Prisma.Sql;
}

export type ColumnOrder = readonly Omit<OrderTerm, 'descending'>[];

const facets: Readonly<Record<string, EmployeeColumn['facets']>> = {
  status: 'employee_facets',
  department: 'employee_facets',
  location: 'employee_location_facets',
};

/** Replacements for NULL in an order, because its values must not be NULL. */
const instead: Readonly<Record<OrderTerm['type'], Prisma.Sql>> = {
  text: Prisma.sql`''`,
  date: Prisma.sql`date '0001-01-01'`,
  timestamptz: Prisma.sql`timestamptz '0001-01-01Z'`,
  int8: Prisma.sql`0::int8`,
  numeric: Prisma.sql`0::numeric`,
};

/** The column of each member of {@link Employee}. */
export const employeeColumns: Readonly<Record<EmployeeMember, EmployeeColumn>> = {
  // Ids and positions have the same order, and the indexes contain positions.
  id: {
    name: Prisma.sql`id`,
    type: 'text',
    nullable: false,
    facets: null,
    order: [{ value: Prisma.sql`employees.position`, type: 'int8' }],
  },
  ...(Object.fromEntries(
    employeeAttributes.map(({ member, name, type, nullable }) => {
      const sql = Prisma.raw(name);
      const column = { name: sql, type, nullable, facets: facets[name] ?? null };
      return [member, { ...column, order: columnOrder(sql, column) }];
    }),
  ) as Record<keyof AttributeValues, EmployeeColumn>),
};

/**
 * SQL expression for the time of the last change of an attribute that a reader may read. `attribute_times` has the times of the
 * attributes of the contract that have changed since all others did, `custom_times` those of custom attributes.
 *
 * @param keys expression for the keys of custom attributes as `AttributeAccess.keys` has them; `null`: the reader may read none
 */
export function lastReadableChange(
  { restricted }: Pick<AttributeAccess, 'restricted'>,
  keys: string | null,
): string {
  const readable = restrictableAttributes.filter((name) => !restricted.includes(name));
  const times = ['others', ...readable].map((name) => `(attribute_times ->> '${name}')::timestamptz`);
  const ofContract =
    restricted.length === 0
      ? 'updated_at'
      : `CASE WHEN attribute_times IS NULL THEN updated_at ELSE greatest(${times.join(', ')}) END`;
  if (keys === null) return ofContract;
  return `CASE WHEN custom_updated_at IS NULL THEN ${ofContract} ELSE greatest(${ofContract}, (
    SELECT max(time.value::timestamptz) FROM jsonb_each_text(custom_times) AS time
    WHERE ${isReadableKey('time.key', keys)})) END`;
}

/** The columns of an account for a reader. Only the time of the last change can differ. */
export function columnsFor(accountId: AccountId, access: AttributeAccess): typeof employeeColumns {
  const { restricted, custom } = access;
  const readsCustom = custom.length > 0;
  if (restricted.length === 0 && !readsCustom) return employeeColumns;
  const { updatedAt } = employeeColumns;
  const keys = readsCustom ? pg.escapeLiteral(access.keys) : null;
  const name = Prisma.raw(`(${lastReadableChange(access, keys)})`);
  const since = (column: string, text: string) =>
    Prisma.sql`${Prisma.raw(column)} >= ${text}::text::timestamptz`;
  // Two queries and not OR, for which PostgreSQL would read all employees, because bitmap scans are off for pages.
  const changed = (text: string) =>
    Prisma.join(
      ['updated_at', 'custom_updated_at'].map(
        (column) => Prisma.sql`
          SELECT position FROM employees WHERE account_id = ${accountId} AND ${since(column, text)}`,
      ),
      ' UNION ALL ',
    );
  const from = readsCustom
    ? (text: string) => Prisma.sql`position = ANY (ARRAY(${changed(text)}))`
    : (text: string) => since('updated_at', text);
  return { ...employeeColumns, updatedAt: { ...updatedAt, name, order: columnOrder(name, updatedAt), from } };
}

/** Orders by a value of a column, with NULL last, as in PostgreSQL. */
export function columnOrder(
  value: Prisma.Sql,
  { type, nullable }: { readonly type: OrderTerm['type']; readonly nullable: boolean },
): ColumnOrder {
  if (!nullable) return [{ value, type }];
  return [
    { value: Prisma.sql`(${value} IS NULL)::int::int8`, type: 'int8' },
    { value: Prisma.sql`coalesce(${value}, ${instead[type]})`, type },
  ];
}

/** Select list that yields rows with the names of {@link Employee}. */
export const employeeSelection = Prisma.join([
  ...Object.entries(employeeColumns).map(([member, { name, type }]) => {
    const value = type === 'date' ? dateExpression(name) : name;
    return Prisma.sql`${value} AS ${Prisma.raw(`"${member}"`)}`;
  }),
  Prisma.sql`coalesce(custom, '{}') AS custom`,
]);

/** Values of custom attributes to store, by key; `null` removes one. Values of absent keys are not changed. */
export type CustomChanges = Readonly<Record<string, CustomValue | null>>;

/** The employees that custom attributes refer to, by key: an employee number or an id; `null`: none. */
export type GivenReferences = Readonly<Record<string, string | null>>;

/** An employee as callers provide it: all required attributes, and any of the others. */
export type EmployeeRecord = Omit<GivenValues, OptionalMember> &
  Partial<Pick<GivenValues, OptionalMember>> & { readonly custom?: CustomChanges };

/** The value of an attribute of a new employee, whose record can omit it. */
export function initialValue(record: EmployeeRecord, { member, nullable }: GivenAttribute): string | null {
  return record[member] ?? (nullable ? null : '');
}

/** The name of an employee as people write it: first name, then last name. One of them can be empty. */
export function fullName({ firstName, lastName }: Pick<Employee, 'firstName' | 'lastName'>): string {
  return [firstName, lastName].filter((name) => name !== '').join(' ');
}

/** The name of an employee in a list by last name: last name, then first name. One of them can be empty. */
export function listName({ firstName, lastName }: Pick<Employee, 'firstName' | 'lastName'>): string {
  return [lastName, firstName].filter((name) => name !== '').join(', ');
}

/** Sorts employees by last name, then first name, as people sort them. */
export function employeesByName(employees: readonly Employee[]): Employee[] {
  return employees.toSorted(
    (one, other) => compareText(one.lastName, other.lastName) || compareText(one.firstName, other.firstName),
  );
}

/**
 * Hash of an employee's values, which identifies their version. The time of the last change does not: two changes may have the
 * same one.
 */
export function employeeVersion(employee: GivenValues & Pick<Employee, 'custom'>): string {
  const custom = Object.entries(employee.custom).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const values = [
    ...givenAttributes.map(({ name, member }) => [name, employee[member]]),
    ...(custom.length === 0 ? [] : [custom]),
  ];
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}
