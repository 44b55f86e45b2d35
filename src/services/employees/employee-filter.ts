import { Prisma } from '../../database/generated/client.js';
import type { AccountId } from '../account-id.js';
import { employeeSearch } from './employee-search.js';

/** Which employees a list shows: those that match every member that is given. */
export interface EmployeeFilter {
  readonly status?: string | undefined;
  readonly department?: string | undefined;
  readonly employeeNumber?: string | undefined;
  readonly email?: string | undefined;
  readonly updatedSince?: Date | undefined;
  /** Beginning of a name, an e-mail address or an employee number. */
  readonly search?: string | undefined;
}

/** The employees of one account that match; every query on employees begins with this condition. */
export function employeeCondition(accountId: AccountId, filter: EmployeeFilter): Prisma.Sql {
  const conditions = [Prisma.sql`account_id = ${accountId}`];
  if (filter.status !== undefined) conditions.push(Prisma.sql`status = ${filter.status}`);
  if (filter.department !== undefined) conditions.push(Prisma.sql`department = ${filter.department}`);
  if (filter.employeeNumber !== undefined) {
    conditions.push(Prisma.sql`employee_number = ${filter.employeeNumber}`);
  }
  if (filter.email !== undefined) conditions.push(Prisma.sql`email = ${filter.email}`);
  if (filter.updatedSince !== undefined) {
    conditions.push(Prisma.sql`updated_at >= ${filter.updatedSince}::timestamptz`);
  }
  if (filter.search !== undefined) conditions.push(employeeSearch(filter.search));
  return Prisma.join(conditions, ' AND ');
}

/**
 * Query for the number of employees that match. Counts of the whole account and by status and department are
 * maintained by the database; the other filters leave few enough records to count them.
 */
export function employeeCountQuery(accountId: AccountId, filter: EmployeeFilter): Prisma.Sql {
  const { status, department, ...selective } = filter;
  if (Object.values(selective).some((value) => value !== undefined)) {
    return Prisma.sql`SELECT count(*)::int AS count FROM employees WHERE ${employeeCondition(accountId, filter)}`;
  }
  if (status === undefined && department === undefined) {
    return Prisma.sql`
      SELECT coalesce(sum(count), 0)::int AS count FROM employee_counts
      WHERE account_id = ${accountId} AND level = 4`;
  }
  return Prisma.sql`
    SELECT coalesce(sum(count), 0)::int AS count FROM employee_facets
    WHERE ${employeeCondition(accountId, { status, department })}`;
}

/** Whether a filter lets every employee of the account through. */
export function matchesAll(filter: EmployeeFilter): boolean {
  return Object.values(filter).every((value) => value === undefined);
}
