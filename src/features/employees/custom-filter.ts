import { Prisma } from '../../platform/database/generated/client.js';
import type { CustomType } from './custom-attributes.js';
import type { EmployeeColumn } from './employee.js';
import {
  type EmployeeCondition,
  hasNoValue,
  isInRange,
  isOneOf,
  isValueFilter,
  type RangeFilter,
  type ValueFilter,
} from './employee-filter.js';

/** A filter of employees by a custom attribute. */
export interface CustomFilter {
  readonly key: string;
  readonly type: CustomType;
  /** Values of numbers are as JSON has them. Only numbers and dates have ranges. */
  readonly wanted: ValueFilter | RangeFilter;
}

/**
 * Builds the conditions for custom attributes, which have no index: the employees that match the other filters are read. Every key and
 * value is a parameter.
 */
export function customConditions(filters: readonly CustomFilter[]): EmployeeCondition[] {
  return filters.map(({ key, type, wanted }) => {
    const column = textColumn(key);
    if (!isValueFilter(wanted)) {
      const sql = type === 'number' ? isNumberInRange(key, wanted) : isInRange(column, wanted);
      return { columns: [column], sql };
    }
    const values = wanted.filter((value): value is string => value !== null && value !== '');
    const alternatives = [
      ...(values.length === 0 ? [] : [hasOneOf(column, { key, type, values })]),
      ...(values.length === wanted.length ? [] : [hasNoValue(column)]),
    ];
    return { columns: [column], sql: Prisma.sql`(${Prisma.join(alternatives, ' OR ')})` };
  });
}

/** The value of a custom attribute as a column. Texts sort by their bytes, as dates do. */
function textColumn(key: string): EmployeeColumn {
  const name = Prisma.sql`((custom ->> ${key}::text) COLLATE "C")`;
  return { name, type: 'text', nullable: true, facets: null, order: [] };
}

function jsonOf(key: string): Prisma.Sql {
  return Prisma.sql`(custom -> ${key}::text)`;
}

function hasOneOf(
  column: EmployeeColumn,
  { key, type, values }: { key: string; type: CustomType; values: readonly string[] },
): Prisma.Sql {
  if (type === 'choices') return Prisma.sql`${jsonOf(key)} ?| ${values}::text[]`;
  // As JSON, two numbers are equal that are written in different ways.
  if (type === 'number') return Prisma.sql`${jsonOf(key)} = ANY (${values}::text[]::jsonb[])`;
  return isOneOf(column, values);
}

/** Values of other types are in no range, although JSON has an order of all values. */
function isNumberInRange(key: string, { from, before }: RangeFilter): Prisma.Sql {
  if (from !== undefined && before !== undefined && Number(from) >= Number(before)) return Prisma.sql`false`;
  const value = jsonOf(key);
  return Prisma.join(
    [
      Prisma.sql`jsonb_typeof(${value}) = 'number'`,
      ...(from === undefined ? [] : [Prisma.sql`${value} >= ${from}::text::jsonb`]),
      ...(before === undefined ? [] : [Prisma.sql`${value} < ${before}::text::jsonb`]),
    ],
    ' AND ',
  );
}
