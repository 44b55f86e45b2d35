import { Prisma } from '../../database/generated/client.js';
import { type EmployeeColumn, employeeColumns } from './employee.js';
import type { EmployeeCondition } from './employee-query.js';

/** Which employees a list has: those that match every member that is given. */
export interface EmployeeFilter {
  readonly status?: string | undefined;
  readonly department?: string | undefined;
  readonly employeeNumber?: string | undefined;
  readonly email?: string | undefined;
  readonly updatedSince?: Date | undefined;
}

/** Builds the conditions of a filter. */
export function filterConditions({ updatedSince, ...equal }: EmployeeFilter): EmployeeCondition[] {
  const conditions = Object.entries(equal).flatMap(([member, value]) =>
    value === undefined ? [] : [isEqual(employeeColumns[member as keyof typeof equal], value)],
  );
  if (updatedSince === undefined) return conditions;
  const { updatedAt } = employeeColumns;
  const sql = Prisma.sql`${updatedAt.name} >= ${updatedSince}::timestamptz`;
  return [...conditions, { columns: [updatedAt], sql }];
}

function isEqual(column: EmployeeColumn, value: string): EmployeeCondition {
  return { columns: [column], sql: Prisma.sql`${column.name} = ${value}` };
}
