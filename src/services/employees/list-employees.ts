import type { Database } from '../../database/client.js';
import { Prisma } from '../../database/generated/client.js';
import type { AccountId } from '../account-id.js';
import { type Employee, employeeSelection } from './employee.js';
import { type EmployeeFilter, employeeCondition, employeeCountQuery, matchesAll } from './employee-filter.js';
import { type Anchor, afterAnchor, anchorOf, type EmployeeSort, employeeOrder } from './employee-order.js';

/** Which page of which list. */
export interface EmployeeListRequest {
  readonly filter: EmployeeFilter;
  /** Empty: by id. */
  readonly sort: readonly EmployeeSort[];
  readonly size: number;
  /** Where to begin: after a record of an earlier page, or after so many records. */
  readonly from: { readonly anchor: Anchor } | { readonly skip: number };
}

export interface EmployeePage {
  readonly employees: readonly Employee[];
  /** Number of employees on all pages together. */
  readonly recordCount: number;
  /** Where the next page begins; `null` when no record is left. */
  readonly nextAnchor: Anchor | null;
}

/**
 * Reads a page of an account's employees. By id, a page costs the same wherever it is in the list; a filtered
 * or sorted one does too when it begins after an anchor.
 */
export async function listEmployees(
  { prisma }: Database,
  accountId: AccountId,
  request: EmployeeListRequest,
): Promise<EmployeePage> {
  const { filter, sort, size } = request;
  const [[total], rows] = await Promise.all([
    prisma.$queryRaw<{ count: number }[]>(employeeCountQuery(accountId, filter)),
    prisma.$queryRaw<(Employee & { position: number })[]>(employeePageQuery(accountId, request)),
  ]);
  // The row beyond the page tells whether there is a next one; the count may have changed since.
  const last = rows.length > size ? rows[size - 1] : undefined;
  return {
    employees: rows.slice(0, size),
    recordCount: total?.count ?? 0,
    nextAnchor: last === undefined ? null : anchorOf(sort, last),
  };
}

/** Query for the records of a page, and one or more beyond it. */
export function employeePageQuery(accountId: AccountId, request: EmployeeListRequest): Prisma.Sql {
  const { filter, sort, size } = request;
  return Prisma.sql`
    SELECT ${employeeSelection}, position::float8 AS position FROM employees
    WHERE ${employeeCondition(accountId, filter)} AND ${beginning(accountId, request)}
    ORDER BY ${employeeOrder(sort)}
    LIMIT ${fetchLimit(size)} ${offset(request)}`;
}

const usualSizes = [10, 20, 50, 100, 200, 500];

/**
 * One row more than the page has, or somewhat more. It is written into the statement, because the planner takes
 * a limit that it does not know for a tenth of the table and sorts that; and it is one of a few numbers, because
 * each makes a prepared statement of its own.
 */
function fetchLimit(size: number): Prisma.Sql {
  return Prisma.raw(String((usualSizes.find((usual) => usual >= size) ?? size) + 1));
}

function beginning(accountId: AccountId, { filter, sort, from }: EmployeeListRequest): Prisma.Sql {
  if ('anchor' in from) return afterAnchor(sort, from.anchor);
  if (!seeksByPosition(filter, sort) || from.skip === 0) return Prisma.sql`true`;
  return Prisma.sql`position >= (SELECT employee_position_at(${accountId}, ${from.skip}::bigint))`;
}

/** Only a filtered or sorted list, entered in the middle, has to pass over what comes before. */
function offset({ filter, sort, from }: EmployeeListRequest): Prisma.Sql {
  if ('anchor' in from || seeksByPosition(filter, sort)) return Prisma.empty;
  return Prisma.sql`OFFSET ${from.skip}::bigint`;
}

function seeksByPosition(filter: EmployeeFilter, sort: readonly EmployeeSort[]): boolean {
  return sort.length === 0 && matchesAll(filter);
}
