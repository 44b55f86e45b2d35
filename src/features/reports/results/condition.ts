import { Prisma } from '../../../platform/database/client.js';
import { employeePosition } from '../../../platform/database/ids.js';
import type { AttributeType, EmployeeCondition } from '../../employees/index.js';
import { type EmployeeColumn, employeeColumns } from '../../employees/index.js';
import type { ReportFilter } from '../report.js';
import { columnOf } from '../report-columns.js';
import { readRfc3339 } from '../rfc3339.js';

/** Builds the condition of a filter. Its parameters are strings and arrays of strings. */
export function reportCondition(filter: ReportFilter): EmployeeCondition {
  const column = employeeColumns[columnOf(filter.field).member];
  return { columns: [column], sql: comparison(column, filter) };
}

function comparison(column: EmployeeColumn, { field, operator, value }: ReportFilter): Prisma.Sql {
  const { name: stored, type } = column;
  // An employee without a value matches negative operators, as in `not_eq`.
  const orNull = (sql: Prisma.Sql) => (column.nullable ? Prisma.sql`(${stored} IS NULL OR ${sql})` : sql);
  const texts = [value].flat().map((text) => (type === 'timestamptz' ? toMoment(text) : text));
  const cast = Prisma.raw(type === 'text' ? '::text' : `::text::${type}`);
  const first = Prisma.sql`${texts[0]}${cast}`;
  // With `=`, PostgreSQL can read the rows in the order of an index.
  const isOne = texts.length === 1;
  if (field === 'id' && (operator === 'eq' || operator === 'in')) return hasId(texts);
  switch (operator) {
    case 'eq':
      return Prisma.sql`${stored} = ${first}`;
    case 'not_eq':
      return orNull(Prisma.sql`${stored} <> ${first}`);
    // One parameter for the list: with one for each value, a statement is much slower where parameters are settings.
    case 'in':
      return isOne ? Prisma.sql`${stored} = ${first}` : Prisma.sql`${stored} = ANY (${list(texts, type)})`;
    case 'not_in':
      return orNull(
        isOne ? Prisma.sql`${stored} <> ${first}` : Prisma.sql`${stored} <> ALL (${list(texts, type)})`,
      );
    case 'before':
      return Prisma.sql`${stored} < ${first}`;
    case 'after':
      return Prisma.sql`${stored} > ${first}`;
    // Functions instead of LIKE, because they have no wildcards.
    case 'contains':
      return Prisma.sql`strpos(${withoutCase(stored)}, ${withoutCase(first)}) > 0`;
    case 'starts_with':
      return Prisma.sql`starts_with(${withoutCase(stored)}, ${withoutCase(first)})`;
  }
}

/** Finds ids by their positions, which the index contains. */
function hasId(ids: string[]): Prisma.Sql {
  const positions = ids.map(employeePosition);
  if (ids.length === 1)
    return Prisma.sql`(position = ${String(positions[0])}::text::int8 AND id = ${ids[0]}::text)`;
  // The positions are one text, because with row-level security PostgreSQL does not use an index for a cast from text[].
  return Prisma.sql`(position = ANY (${`{${positions}}`}::text::int8[]) AND id = ANY (${ids}::text[]))`;
}

/** The collation of the columns converts only ASCII letters. */
function withoutCase(text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`lower(${text} COLLATE "und-x-icu")`;
}

function list(texts: string[], type: AttributeType): Prisma.Sql {
  const list = Prisma.sql`${texts}::text[]`;
  return type === 'text' ? list : Prisma.sql`${list}::${Prisma.raw(type)}[]`;
}

function toMoment(text: string): string {
  const timestamp = readRfc3339(text);
  if (timestamp === null)
    throw new Error('A stored report compares updated_at with a value that is not a timestamp');
  return timestamp.toISOString();
}
