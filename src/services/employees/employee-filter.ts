import { Prisma } from '../../database/generated/client.js';
import { type EmployeeColumn, employeeColumns } from './employee.js';
import type { GivenValues } from './employee-attributes.js';
import type { EmployeeCondition } from './employee-query.js';

/** A filter of employees. An employee must match all members that are present. */
export type EmployeeFilter = { readonly [Member in keyof GivenValues]?: string | undefined } & {
  readonly updatedSince?: Date | undefined;
};

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
  const given =
    column.type === 'text' ? Prisma.sql`${value}` : Prisma.sql`${value}::text::${Prisma.raw(column.type)}`;
  return { columns: [column], sql: Prisma.sql`${column.name} = ${given}` };
}
