import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';

/** Maximum number of employees of an account whose records are read to count or to find the employees of a selection. */
export const maximumRead = 100_000;

/** Employees that Home counts, and that the directory shows. */
export interface EmployeeSelection {
  /** Identifies it in a URL. */
  readonly value: string;
  readonly label: string;
  /** Condition for rows of `employees`. */
  readonly condition: (accountId: AccountId) => Prisma.Sql;
  /**
   * Whether the condition reads the status only, whose counts the database maintains. Others read all records of the account, or an
   * index of them. They must be combined with {@link isReadable}.
   */
  readonly hasFacets: boolean;
}

/** Condition that an account has at most {@link maximumRead} employees. PostgreSQL checks it before it reads them. */
export function isReadable(accountId: AccountId): Prisma.Sql {
  return Prisma.sql`(
    SELECT sum(count) FROM employee_counts WHERE account_id = ${accountId} AND level = 4) <= ${maximumRead}`;
}

const isCurrent = Prisma.sql`status NOT IN ('inactive', 'terminated')`;

/** Everyone who has not left: all statuses except inactive and terminated. */
export const currentEmployees: EmployeeSelection = {
  value: 'current',
  label: 'Without inactive and terminated',
  condition: () => isCurrent,
  hasFacets: true,
};

/** Current employees without a manager. */
export const withoutManager: EmployeeSelection = {
  value: 'no_manager',
  label: 'Without manager',
  condition: () => Prisma.sql`(manager_id IS NULL AND ${isCurrent})`,
  hasFacets: false,
};

/** Employees whose e-mail address another employee has too, without regard to case. */
export const sharedEmail: EmployeeSelection = {
  value: 'shared_email',
  label: 'Shared e-mail address',
  condition: (accountId) => {
    const having = (column: string) => Prisma.sql`
      SELECT position FROM employees JOIN shared ON ${Prisma.raw(column)} = address WHERE account_id = ${accountId}`;
    return Prisma.sql`position = ANY (ARRAY(
      WITH shared AS MATERIALIZED (${sharedAddresses(accountId)})
      ${having('email')} UNION ALL ${having('folded_email')}))`;
  },
  hasFacets: false,
};

/**
 * Query for the addresses, in lower case, that more than one employee has; none unless {@link isReadable}. It reads all
 * addresses of the account once.
 */
export function sharedAddresses(accountId: AccountId): Prisma.Sql {
  return Prisma.sql`
    SELECT address FROM (
      SELECT email AS address FROM employees
      WHERE account_id = ${accountId} AND email <> '' AND email = lower(email) AND ${isReadable(accountId)}
      UNION ALL
      SELECT folded_email FROM employees
      WHERE account_id = ${accountId} AND folded_email IS NOT NULL AND ${isReadable(accountId)}
    ) AS given GROUP BY address HAVING count(*) > 1`;
}

/** Employees whose first day is in a month, `YYYY-MM`. */
export function joinersIn(month: string): EmployeeSelection {
  return {
    value: `joiners_${month}`,
    label: `Joiners in ${describeMonth(month)}`,
    condition: () => isInMonth('hire_date', month),
    hasFacets: false,
  };
}

/** Employees whose last day is in a month, `YYYY-MM`. */
export function leaversIn(month: string): EmployeeSelection {
  return {
    value: `leavers_${month}`,
    label: `Leavers in ${describeMonth(month)}`,
    condition: () => isInMonth('termination_date', month),
    hasFacets: false,
  };
}

/** The selection that a URL names; `undefined` for any other text. */
export function selectionOf(value: string): EmployeeSelection | undefined {
  const [, kind, month] = /^(joiners|leavers)_(\d{4}-(?:0[1-9]|1[0-2]))$/.exec(value) ?? [];
  if (month !== undefined && !month.startsWith('0000')) {
    return kind === 'joiners' ? joinersIn(month) : leaversIn(month);
  }
  return [currentEmployees, withoutManager, sharedEmail].find((selection) => selection.value === value);
}

function isInMonth(column: 'hire_date' | 'termination_date', month: string): Prisma.Sql {
  const name = Prisma.raw(column);
  const first = Prisma.sql`${`${month}-01`}::text::date`;
  return Prisma.sql`(${name} >= ${first} AND ${name} < ${first} + interval '1 month')`;
}

const monthFormat = new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });

function describeMonth(month: string): string {
  return monthFormat.format(new Date(`${month}-01T00:00:00Z`));
}
