import { Prisma } from '../../../database/client.js';
import type { AccountId } from '../../account-id.js';
import type { ReportFilter } from '../report.js';
import { columnOf } from '../report-columns.js';
import { readRfc3339 } from '../rfc3339.js';

/** The employees of one account that meet every condition of a report; every query of results begins with it. */
export function reportCondition(accountId: AccountId, filters: readonly ReportFilter[]): Prisma.Sql {
  return Prisma.join([Prisma.sql`account_id = ${accountId}`, ...filters.map(filterCondition)], ' AND ');
}

function filterCondition({ field, operator, value }: ReportFilter): Prisma.Sql {
  const { stored, type } = columnOf(field);
  const values = [value].flat().map((text) => (type === 'date_time' ? momentValue(text) : textValue(text)));
  const [first = Prisma.sql`NULL`] = values;
  switch (operator) {
    case 'eq':
      return Prisma.sql`${stored} = ${first}`;
    case 'not_eq':
      return Prisma.sql`${stored} <> ${first}`;
    case 'in':
      return Prisma.sql`${stored} IN (${Prisma.join(values)})`;
    case 'not_in':
      return Prisma.sql`${stored} NOT IN (${Prisma.join(values)})`;
    // Functions and not LIKE: in these no character is a wildcard.
    case 'contains':
      return Prisma.sql`strpos(${withoutCase(stored)}, ${withoutCase(first)}) > 0`;
    case 'starts_with':
      return Prisma.sql`starts_with(${withoutCase(stored)}, ${withoutCase(first)})`;
  }
}

/** The columns' own collation knows the letters of ASCII only. */
function withoutCase(text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`lower(${text} COLLATE "und-x-icu")`;
}

function textValue(text: string): Prisma.Sql {
  return Prisma.sql`${text}::text`;
}

function momentValue(text: string): Prisma.Sql {
  const moment = readRfc3339(text);
  if (moment === null)
    throw new Error('A stored report compares updated_at with something that is no moment');
  return Prisma.sql`${moment.toISOString()}::text::timestamptz`;
}
