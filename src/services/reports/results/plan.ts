import { Prisma } from '../../../database/client.js';
import type { AccountId } from '../../account-id.js';
import type { ReportDefinition } from '../report.js';
import { type ColumnDescription, type ColumnKey, columnOf } from '../report-columns.js';
import { reportCondition } from './condition.js';
import type { OrderTerm } from './order.js';

/** One column of a result: what it is, and its value as the text that is shown. */
export interface ResultColumn extends ColumnDescription {
  readonly shown: Prisma.Sql;
}

/** Everything that a query for results is made of; pages and tables are made of the same. */
export interface ResultPlan {
  readonly columns: readonly ResultColumn[];
  /** What follows FROM, and the condition on it. */
  readonly source: Prisma.Sql;
  readonly condition: Prisma.Sql;
  /** The last terms tell any two rows apart. */
  readonly order: readonly OrderTerm[];
  /** What makes up the name of a row: the employee's id, or the values of a group. */
  readonly name: { readonly of: 'employee' | 'group'; readonly values: readonly Prisma.Sql[] };
  /** The number of rows, as a query for `count`. */
  readonly countQuery: Prisma.Sql;
  /** Whether the result is the whole account in order of id, whose pages the database finds by their number. */
  readonly isWholeAccount: boolean;
}

/** Translates a definition for one account. What comes from people becomes a parameter, never a part of a statement. */
export function planResult(accountId: AccountId, definition: ReportDefinition): ResultPlan {
  return definition.groupBy.length > 0 ? planGroups(accountId, definition) : planList(accountId, definition);
}

function planList(accountId: AccountId, { columns, filters, sort }: ReportDefinition): ResultPlan {
  const condition = reportCondition(accountId, filters);
  const terms = parseSort(sort).map(({ key, descending }) => ({ ...listTerm(key), key, descending }));
  const byId = terms.findIndex(({ key }) => key === 'id');
  const descending = terms.at(-1)?.descending ?? false;
  return {
    columns: columns.map((key) => ({ ...columnOf(key), shown: shownValue(key, columnOf(key).stored) })),
    source: Prisma.sql`employees`,
    condition,
    // Nothing that follows the id in an order makes a difference.
    order: byId === -1 ? [...terms, { ...listTerm('id'), descending }] : terms.slice(0, byId + 1),
    name: { of: 'employee', values: [Prisma.sql`id`] },
    countQuery: countOfEmployees(accountId, filters, condition),
    isWholeAccount: filters.length === 0 && (terms.length === 0 || (byId === 0 && !terms[0]?.descending)),
  };
}

/** Ids sort as positions do, and it is positions that indexes have. */
function listTerm(key: string): Pick<OrderTerm, 'value' | 'type'> {
  if (key === 'id') return { value: Prisma.sql`position`, type: 'int8' };
  const { stored, type } = columnOf(key as ColumnKey);
  return { value: stored, type: type === 'date_time' ? 'timestamptz' : 'text' };
}

function countOfEmployees(
  accountId: AccountId,
  filters: ReportDefinition['filters'],
  condition: Prisma.Sql,
): Prisma.Sql {
  if (filters.length === 0) {
    return Prisma.sql`
      SELECT coalesce(sum(count), 0)::text AS count FROM employee_counts
      WHERE account_id = ${accountId} AND level = 4`;
  }
  return hasFacets(filters.map(({ field }) => field))
    ? Prisma.sql`SELECT coalesce(sum(count), 0)::text AS count FROM employee_facets WHERE ${condition}`
    : Prisma.sql`SELECT count(*)::text AS count FROM employees WHERE ${condition}`;
}

/** The database keeps the number of employees for each combination of these. */
function hasFacets(keys: readonly ColumnKey[]): boolean {
  return keys.every((key) => key === 'status' || key === 'department');
}

function planGroups(accountId: AccountId, { filters, sort, groupBy }: ReportDefinition): ResultPlan {
  const condition = reportCondition(accountId, filters);
  const names = new Map(groupBy.map((key, index) => [key, Prisma.raw(`groups.key_${index}`)]));
  const keys = Prisma.join(
    groupBy.map((key, index) => Prisma.sql`${columnOf(key).stored} AS ${Prisma.raw(`key_${index}`)}`),
  );
  const from = hasFacets([...groupBy, ...filters.map(({ field }) => field)])
    ? Prisma.sql`sum(count)::int8 AS size FROM employee_facets`
    : Prisma.sql`count(*) AS size FROM employees`;
  const groups = Prisma.sql`
    SELECT ${keys}, ${from} WHERE ${condition}
    GROUP BY ${Prisma.raw(groupBy.map((_, index) => index + 1).join(', '))}`;
  const termOf = (key: string): Pick<OrderTerm, 'value' | 'type'> => {
    const value = names.get(key as ColumnKey);
    if (value === undefined) return { value: Prisma.sql`groups.size`, type: 'int8' };
    return { value, type: columnOf(key as ColumnKey).type === 'date_time' ? 'timestamptz' : 'text' };
  };
  const sorted = parseSort(sort);
  const others = groupBy.filter((key) => sorted.every((entry) => entry.key !== key));
  const shown = groupBy.map((key) => shownValue(key, names.get(key) ?? Prisma.empty));
  return {
    columns: [
      ...groupBy.map((key, index) => ({ ...columnOf(key), shown: shown[index] ?? Prisma.empty })),
      { key: 'count', label: 'Count', type: 'integer', shown: Prisma.sql`groups.size::text` },
    ],
    source: Prisma.sql`(${groups}) AS groups`,
    condition: Prisma.sql`true`,
    order: [
      ...sorted.map(({ key, descending }) => ({ ...termOf(key), descending })),
      ...others.map((key) => ({ ...termOf(key), descending: false })),
    ],
    name: { of: 'group', values: shown },
    countQuery: Prisma.sql`SELECT count(*)::text AS count FROM (${groups}) AS groups`,
    isWholeAccount: false,
  };
}

function parseSort(sort: readonly string[]): { key: string; descending: boolean }[] {
  return sort.map((entry) => ({ key: entry.replace(/^-/, ''), descending: entry.startsWith('-') }));
}

/** Moments are written as the rest of the service writes them. */
function shownValue(key: ColumnKey, value: Prisma.Sql): Prisma.Sql {
  return columnOf(key).type === 'date_time'
    ? Prisma.sql`to_char(${value} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
    : value;
}
