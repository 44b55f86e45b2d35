import { Prisma } from '../../database/generated/client.js';
import type { OrderTerm } from '../../database/keyset.js';

/** An employee record of one account. */
export interface Employee {
  readonly id: string;
  readonly employeeNumber: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
  readonly status: string;
  readonly department: string;
  readonly updatedAt: Date;
}

/** A column of the table `employees`. */
export interface EmployeeColumn {
  readonly name: Prisma.Sql;
  readonly type: 'text' | 'timestamptz';
  /** Whether the database maintains the number of employees for each combination of such columns. */
  readonly hasFacets: boolean;
  /** What rows are ordered by to be in the order of the column. */
  readonly order: Omit<OrderTerm, 'descending'>;
}

/** Where each member of {@link Employee} is stored. */
export const employeeColumns = {
  // Ids sort as positions do, and the indexes have positions.
  id: { ...column('id'), order: { value: Prisma.sql`employees.position`, type: 'int8' } },
  employeeNumber: column('employee_number'),
  firstName: column('first_name'),
  lastName: column('last_name'),
  email: column('email'),
  status: { ...column('status'), hasFacets: true },
  department: { ...column('department'), hasFacets: true },
  updatedAt: column('updated_at', 'timestamptz'),
} satisfies Readonly<Record<keyof Employee, EmployeeColumn>>;

function column(name: string, type: EmployeeColumn['type'] = 'text'): EmployeeColumn {
  const sql = Prisma.raw(name);
  return { name: sql, type, hasFacets: false, order: { value: sql, type } };
}

/** Select list that yields rows with the names of {@link Employee}. */
export const employeeSelection = Prisma.join(
  Object.entries(employeeColumns).map(
    ([member, { name }]) => Prisma.sql`${name} AS ${Prisma.raw(`"${member}"`)}`,
  ),
);
