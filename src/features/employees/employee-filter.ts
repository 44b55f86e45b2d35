import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/generated/client.js';
import { type EmployeeColumn, employeeColumns } from './employee.js';
import type { GivenValues } from './employee-attributes.js';
import type { EmployeeCondition } from './employee-query.js';

/** A filter of employees. An employee must match all members that are present. */
export type EmployeeFilter = { readonly [Member in keyof GivenValues]?: string | undefined } & {
  readonly updatedSince?: Date | undefined;
};

/** Builds the conditions of a filter. */
export function filterConditions(
  accountId: AccountId,
  { updatedSince, ...equal }: EmployeeFilter,
): EmployeeCondition[] {
  const conditions = Object.entries(equal).flatMap(([member, value]) => {
    if (value === undefined) return [];
    const column = employeeColumns[member as keyof typeof equal];
    return [
      column === employeeColumns.email ? isEqualInAnyCase(accountId, column, value) : isEqual(column, value),
    ];
  });
  if (updatedSince === undefined) return conditions;
  const { updatedAt } = employeeColumns;
  const sql = Prisma.sql`${updatedAt.name} >= ${updatedSince}::timestamptz`;
  return [...conditions, { columns: [updatedAt], sql }];
}

/**
 * Most addresses are in lower case. The column `folded_email` has the lower case of the others. Two queries and not OR, for which
 * PostgreSQL would read all employees, because bitmap scans are off for pages.
 */
function isEqualInAnyCase(accountId: AccountId, column: EmployeeColumn, value: string): EmployeeCondition {
  const found = ['email', 'folded_email'].map(
    (name) => Prisma.sql`
      SELECT position FROM employees
      WHERE account_id = ${accountId} AND ${Prisma.raw(name)} = lower(${value} COLLATE "C")`,
  );
  return { columns: [column], sql: Prisma.sql`position = ANY (ARRAY(${Prisma.join(found, ' UNION ALL ')}))` };
}

function isEqual(column: EmployeeColumn, value: string): EmployeeCondition {
  const given =
    column.type === 'text' ? Prisma.sql`${value}` : Prisma.sql`${value}::text::${Prisma.raw(column.type)}`;
  return { columns: [column], sql: Prisma.sql`${column.name} = ${given}` };
}
