import type { AccountId } from '../../../platform/accounts/account-id.js';
import { Prisma } from '../../../platform/database/client.js';
import { dateText, timestampText } from '../../../platform/database/keyset.js';
import type { OrderedRows } from '../../../platform/database/page-query.js';
import { type ColumnOrder, columnOrder, EmployeeQuery, employeeColumns } from '../../employees/index.js';
import type { ReportDefinition } from '../report.js';
import {
  type ColumnDescription,
  type ColumnKey,
  columnOf,
  describeGroupKey,
  type GroupKey,
} from '../report-columns.js';
import { reportCondition } from './condition.js';

/** One column of a result, and the expression for its value as text. */
export interface ResultColumn extends ColumnDescription {
  readonly shown: Prisma.Sql;
}

/** The parts of every query for a result, as pages or as CSV. */
export interface ResultPlan {
  readonly columns: readonly ResultColumn[];
  readonly rows: OrderedRows;
  /** The values that identify a row: the employee's id, or the values of a group. */
  readonly name: { readonly of: 'employee' | 'group'; readonly values: readonly Prisma.Sql[] };
  /** Query for the number of rows, as the text `count`. */
  readonly count: Prisma.Sql;
}

/** Translates a definition for one account. Values from clients become parameters and are never part of the SQL text. */
export function planResult(accountId: AccountId, definition: ReportDefinition): ResultPlan {
  const query = new EmployeeQuery(accountId, definition.filters.map(reportCondition));
  return definition.groupBy.length > 0 ? planGroups(query, definition) : planList(query, definition);
}

function planList(query: EmployeeQuery, { columns, sort }: ReportDefinition): ResultPlan {
  const keys = parseSort(sort).map(({ key, descending }) => ({
    key: columnOf(key as ColumnKey).member,
    descending,
  }));
  return {
    columns: columns.map((key) => ({ ...columnOf(key), shown: shownValue(key, storedColumn(key).name) })),
    rows: query.inOrder(keys),
    name: { of: 'employee', values: [employeeColumns.id.name] },
    count: query.count(),
  };
}

function planGroups(query: EmployeeQuery, { sort, groupBy }: ReportDefinition): ResultPlan {
  const groups = Prisma.sql`(${query.groups(groupBy.map(groupColumn))}) AS groups`;
  const keys = groupBy.map((key, index) => ({ key, value: Prisma.raw(`groups.key_${index}`) }));
  const shown = keys.map(({ key, value }) => ({ ...describeGroupKey(key), shown: shownValue(key, value) }));
  const terms = new Map<string, ColumnOrder>([
    ['count', [{ value: Prisma.sql`groups.size`, type: 'int8' }]],
    ...keys.map(({ key, value }) => [key, columnOrder(value, groupColumn(key))] as const),
  ]);
  const sorted = parseSort(sort);
  const others = groupBy.filter((key) => sorted.every((entry) => entry.key !== key));
  const order = [...sorted, ...others.map((key) => ({ key, descending: false }))];
  return {
    columns: [
      ...shown,
      { key: 'count', label: 'Count', type: 'integer', shown: Prisma.sql`groups.size::text` },
    ],
    rows: {
      source: groups,
      condition: Prisma.sql`true`,
      order: order.flatMap(({ key, descending }) =>
        (terms.get(key) ?? []).map((term) => ({ ...term, descending })),
      ),
    },
    name: { of: 'group', values: shown.map((column) => column.shown) },
    count: Prisma.sql`SELECT count(*)::text AS count FROM ${groups}`,
  };
}

const hireYear = {
  name: Prisma.sql`extract(year FROM hire_date)::int8`,
  type: 'int8',
  nullable: true,
  hasFacets: false,
} as const;

/** The column or expression of a key of groups. */
export function groupColumn(key: GroupKey) {
  return key === 'hire_year' ? hireYear : storedColumn(key);
}

function storedColumn(key: ColumnKey) {
  return employeeColumns[columnOf(key).member];
}

function parseSort(sort: readonly string[]): { key: string; descending: boolean }[] {
  return sort.map((entry) => ({ key: entry.replace(/^-/, ''), descending: entry.startsWith('-') }));
}

/** Formats dates and timestamps as in the rest of the API. */
export function shownValue(key: GroupKey, value: Prisma.Sql): Prisma.Sql {
  const { type } = describeGroupKey(key);
  if (type === 'integer') return Prisma.sql`${value}::text`;
  if (type === 'date') return dateText(value);
  return type === 'date_time' ? timestampText(value) : value;
}
