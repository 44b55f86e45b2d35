import { Prisma } from '../../database/generated/client.js';
import type { OrderTerm } from '../../database/keyset.js';
import { type AttributeType, type AttributeValues, employeeAttributes } from './employee-attributes.js';

/** An employee record of one account. */
export type Employee = { readonly id: string } & AttributeValues;

/** A column of the table `employees`. */
export interface EmployeeColumn {
  readonly name: Prisma.Sql;
  readonly type: AttributeType;
  readonly nullable: boolean;
  /** Whether the database maintains the number of employees for each combination of such columns. */
  readonly hasFacets: boolean;
  /** What rows are ordered by to be in the order of the column. */
  readonly order: Omit<OrderTerm, 'descending'>;
}

const facets: ReadonlySet<string> = new Set(['status', 'department']);

/** Where each member of {@link Employee} is stored. */
export const employeeColumns: Readonly<Record<keyof Employee, EmployeeColumn>> = {
  // Ids sort as positions do, and the indexes have positions.
  id: {
    name: Prisma.sql`id`,
    type: 'text',
    nullable: false,
    hasFacets: false,
    order: { value: Prisma.sql`employees.position`, type: 'int8' },
  },
  ...(Object.fromEntries(
    employeeAttributes.map(({ member, name, type, nullable }) => {
      const sql = Prisma.raw(name);
      const order = { value: neverNull(sql, { type, nullable }), type };
      return [member, { name: sql, type, nullable, hasFacets: facets.has(name), order }];
    }),
  ) as Record<keyof AttributeValues, EmployeeColumn>),
};

/** Builds the expression for a value of a column in which what comes before every value stands for NULL. */
export function neverNull(
  value: Prisma.Sql,
  { type, nullable }: Pick<EmployeeColumn, 'type' | 'nullable'>,
): Prisma.Sql {
  if (!nullable) return value;
  const lowest = type === 'text' ? Prisma.sql`''` : Prisma.raw(`'-infinity'::${type}`);
  return Prisma.sql`coalesce(${value}, ${lowest})`;
}

/** Builds the expression for a date as RFC 3339 text. */
export function dateText(date: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`to_char(${date}, 'YYYY-MM-DD')`;
}

/** Select list that yields rows with the names of {@link Employee}. */
export const employeeSelection = Prisma.join(
  Object.entries(employeeColumns).map(([member, { name, type }]) => {
    const value = type === 'date' ? dateText(name) : name;
    return Prisma.sql`${value} AS ${Prisma.raw(`"${member}"`)}`;
  }),
);
