import { createHash } from 'node:crypto';
import {
  forEachRestriction,
  type RestrictedAttributes,
  restrictableAttributes,
} from '../../platform/contract/employee-attributes.js';
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

export type Employee = { readonly id: string } & AttributeValues;

/** A column of the table `employees`. */
export interface EmployeeColumn {
  readonly name: Prisma.Sql;
  readonly type: AttributeType;
  readonly nullable: boolean;
  /** Table with the number of employees for each combination of such columns, which the database maintains; `null`: none. */
  readonly facets: 'employee_facets' | 'employee_location_facets' | null;
  /** Terms that order rows by the column. */
  readonly order: ColumnOrder;
  /** A column with an index whose value is never less. Absent: none is needed. */
  readonly upperBound?: Prisma.Sql;
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
};

/** The column of each member of {@link Employee}. */
export const employeeColumns: Readonly<Record<keyof Employee, EmployeeColumn>> = {
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
 * SQL expression for the time of the last change of an attribute that a reader may read. `attribute_times` has the times of those
 * that have changed since all others did.
 */
export function lastReadableChange(restricted: RestrictedAttributes): string {
  const readable = restrictableAttributes.filter((name) => !restricted.includes(name));
  const times = ['others', ...readable].map((name) => `(attribute_times ->> '${name}')::timestamptz`);
  return `CASE WHEN attribute_times IS NULL THEN updated_at ELSE greatest(${times.join(', ')}) END`;
}

/** The columns for a reader without access to some attributes. Only the time of the last change differs. */
export const columnsFor = forEachRestriction((restricted): typeof employeeColumns => {
  if (restricted.length === 0) return employeeColumns;
  const { updatedAt } = employeeColumns;
  const name = Prisma.raw(lastReadableChange(restricted));
  const order = columnOrder(name, updatedAt);
  return { ...employeeColumns, updatedAt: { ...updatedAt, name, order, upperBound: updatedAt.name } };
});

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
export const employeeSelection = Prisma.join(
  Object.entries(employeeColumns).map(([member, { name, type }]) => {
    const value = type === 'date' ? dateExpression(name) : name;
    return Prisma.sql`${value} AS ${Prisma.raw(`"${member}"`)}`;
  }),
);

/** An employee as callers provide it: all required attributes, and any of the others. */
export type EmployeeRecord = Omit<GivenValues, OptionalMember> & Partial<Pick<GivenValues, OptionalMember>>;

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
export function employeeVersion(employee: GivenValues): string {
  const values = givenAttributes.map(({ name, member }) => [name, employee[member]]);
  return createHash('sha256').update(JSON.stringify(values)).digest('base64url');
}
