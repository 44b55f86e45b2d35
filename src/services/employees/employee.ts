import { Prisma } from '../../database/generated/client.js';

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

/** What a list can be ordered by. */
export type EmployeeSortKey = Exclude<keyof Employee, 'id'>;

/** Where each member of {@link Employee} is stored. */
export const employeeColumns: Readonly<Record<keyof Employee, Prisma.Sql>> = {
  id: Prisma.sql`id`,
  employeeNumber: Prisma.sql`employee_number`,
  firstName: Prisma.sql`first_name`,
  lastName: Prisma.sql`last_name`,
  email: Prisma.sql`email`,
  status: Prisma.sql`status`,
  department: Prisma.sql`department`,
  updatedAt: Prisma.sql`updated_at`,
};

/** Select list that yields rows with the names of {@link Employee}. */
export const employeeSelection = Prisma.join(
  Object.entries(employeeColumns).map(
    ([name, column]) => Prisma.sql`${column} AS ${Prisma.raw(`"${name}"`)}`,
  ),
);
