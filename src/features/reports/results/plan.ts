import type { AccountId } from '../../../platform/accounts/account-id.js';
import { type AttributeAccess, contractAccess } from '../../../platform/contract/attribute-access.js';
import { Prisma } from '../../../platform/database/client.js';
import {
  dateExpression,
  type OrderedRows,
  timestampExpression,
} from '../../../platform/database/page-query.js';
import {
  type AsOf,
  type ColumnOrder,
  choicesText,
  columnOrder,
  columnsFor,
  compare,
  customColumn,
  type EmployeeColumn,
  type EmployeeCondition,
  EmployeeQuery,
  employeeColumns,
  hasChoice,
  hasNoValue,
  isOneOf,
  textArray,
} from '../../employees/index.js';
import { computedGroup, tenure } from '../computed-keys.js';
import type { Measure } from '../measures.js';
import { keyOf, type ReportDefinition, type ReportFilter, valuesOf } from '../report.js';
import {
  type ColumnDescription,
  type ColumnKey,
  columnOf,
  contractColumns,
  describeGroupKey,
  type GroupKey,
  type ReportColumns,
} from '../report-columns.js';
import { readRfc3339 } from '../rfc3339.js';
import { measureColumn } from './measure-columns.js';

/** The columns of a reader, and those of the table. */
export interface Stored {
  readonly columns: ReportColumns;
  readonly table: typeof employeeColumns;
  /** The date of today in UTC. */
  readonly today: string;
}

/** The column of the table for a column of reports. */
function storedColumn(key: ColumnKey, { columns, table }: Omit<Stored, 'today'>): EmployeeColumn {
  const column = columnOf(key, columns);
  return column.custom === undefined ? table[column.member] : customColumn(column.custom);
}

/** Builds the condition of a filter without relative dates. Its parameters are strings and arrays of strings. */
export function reportCondition(filter: ReportFilter, stored: Omit<Stored, 'today'>): EmployeeCondition {
  const column = storedColumn(filter.field, stored);
  const { type, custom } = columnOf(filter.field, stored.columns);
  const ofList = type === 'list' && filter.operator === 'contains';
  return {
    columns: [column],
    sql: ofList && custom ? hasChoice(custom, filter.value) : comparison(column, filter),
  };
}

function comparison(column: EmployeeColumn, filter: ReportFilter): Prisma.Sql {
  const { name: stored, type } = column;
  // An employee without a value matches negative operators, as in `not_eq`.
  const orNull = (sql: Prisma.Sql) => (column.nullable ? Prisma.sql`(${stored} IS NULL OR ${sql})` : sql);
  // Its index finds the employees that changed later.
  const from = (sql: Prisma.Sql, text: string) =>
    column.from === undefined ? sql : Prisma.sql`(${sql} AND ${column.from(text)})`;
  const texts = valuesOf(filter).map((text) => (type === 'timestamptz' ? toTimestamp(text) : text));
  const [first = ''] = texts;
  switch (filter.operator) {
    case 'eq':
    case 'in':
      return isOneOf(column, texts);
    case 'not_eq':
      return orNull(compare(column, '<>', first));
    case 'not_in':
      return orNull(
        texts.length === 1
          ? compare(column, '<>', first)
          : Prisma.sql`${stored} <> ALL (${textArray(texts, column)})`,
      );
    case 'before':
    case 'lt':
      return compare(column, '<', first);
    case 'after':
    case 'gt':
      return from(compare(column, '>', first), first);
    case 'on_or_before':
    case 'lte':
      return compare(column, '<=', first);
    case 'on_or_after':
    case 'gte':
      return from(compare(column, '>=', first), first);
    case 'empty':
      return hasNoValue(column);
    case 'not_empty':
      return type === 'text' ? Prisma.sql`${stored} <> ''` : Prisma.sql`${stored} IS NOT NULL`;
    // Functions instead of LIKE, because they have no wildcards.
    case 'contains':
      return Prisma.sql`strpos(${withoutCase(stored)}, ${withoutCase(Prisma.sql`${first}::text`)}) > 0`;
    case 'starts_with':
      return Prisma.sql`starts_with(${withoutCase(stored)}, ${withoutCase(Prisma.sql`${first}::text`)})`;
  }
}

/** The collation of the columns converts only ASCII letters. */
function withoutCase(text: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`lower(${text} COLLATE "und-x-icu")`;
}

function toTimestamp(text: string): string {
  const timestamp = readRfc3339(text);
  if (timestamp === null)
    throw new Error('A stored report compares updated_at with a value that is not a timestamp');
  return timestamp.toISOString();
}

/** One column of a result, and the expression for its value as text. */
export interface ResultColumn extends ColumnDescription {
  readonly shown: Prisma.Sql;
  /** The expression for the value as text of a file, if it is another one. */
  readonly inFile?: Prisma.Sql;
}

/** The collation in which people sort texts. */
const peopleCollation = 'und-x-icu';

/** The parts of every query for a result, as pages or as CSV. */
export interface ResultPlan {
  readonly columns: readonly ResultColumn[];
  readonly rows: OrderedRows;
  /** The values that identify a row: the employee's id, or the values of a group. */
  readonly name: { readonly of: 'employee' | 'group'; readonly values: readonly Prisma.Sql[] };
  /** Query for the number of rows, as the text `count`. */
  readonly count: Prisma.Sql;
}

interface PlanOptions {
  /** The date of today in UTC. */
  readonly today: string;
  /** The columns that the definition can use. Default: those of the contract. */
  readonly columns?: ReportColumns;
  /**
   * Whether groups are in the order in which people sort texts, and not by code point. They are sorted anyway; a list is read in the
   * order of an index.
   */
  readonly forPeople?: boolean;
  /** The definition uses no attribute that the reader may not read. Default: access to the attributes of the contract. */
  readonly access?: AttributeAccess;
  /** The date whose employees are read. Default: the present ones. */
  readonly asOf?: AsOf | undefined;
}

/** Translates a definition for one account. Values from clients become parameters and are never part of the SQL text. */
export function planResult(
  accountId: AccountId,
  definition: ReportDefinition,
  options: PlanOptions,
): ResultPlan {
  const { columns = contractColumns, access = contractAccess, asOf, today } = options;
  const stored = { columns, table: columnsFor(accountId, access), today };
  const conditions = definition.filters.map((filter) => reportCondition(filter, stored));
  const query = new EmployeeQuery(accountId, conditions, { asOf: asOf?.end });
  return definition.groupBy.length > 0
    ? planGroups(query, definition, { ...options, stored })
    : planList(query, definition, stored);
}

function planList(query: EmployeeQuery, { columns, sort }: ReportDefinition, stored: Stored): ResultPlan {
  const keys = parseSort(sort);
  const order = ['id', ...keys.map(({ key }) => key)].map((key) => [
    key,
    storedColumn(key as ColumnKey, stored),
  ]);
  return {
    columns: columns.map((key) => {
      const { name } = storedColumn(key, stored);
      const column = columnOf(key, stored.columns);
      return {
        ...column,
        shown: shownValue(key, name, stored),
        ...(column.type === 'list' && { inFile: choicesText(name) }),
      };
    }),
    rows: query.inOrder(keys, { columns: Object.fromEntries(order) }),
    name: { of: 'employee', values: [employeeColumns.id.name] },
    count: query.count(),
  };
}

function planGroups(
  query: EmployeeQuery,
  { sort, groupBy, measures }: ReportDefinition,
  { forPeople = false, stored }: PlanOptions & { readonly stored: Stored },
): ResultPlan {
  const columns = groupBy.map((key) => groupColumn(key, stored));
  const measured = measures.map((measure, position) =>
    measureColumn(measure, { value: measuredValue(measure, stored), position, columns: stored.columns }),
  );
  const aggregates = measured.map(({ aggregate }) => aggregate);
  const groups = Prisma.sql`(${query.groups(columns, aggregates)}) AS groups`;
  const keys = groupBy.map((key, index) => ({ key, value: Prisma.raw(`groups.key_${index}`) }));
  const shown = keys.map(({ key, value }) => ({
    ...describeGroupKey(key, stored.columns),
    shown: shownValue(key, value, stored),
  }));
  const terms = new Map<string, ColumnOrder>([
    ['count', [{ value: Prisma.sql`groups.size`, type: 'int8' }]],
    ...keys.map(({ key, value }) => [key, columnOrder(value, groupColumn(key, stored))] as const),
    ...measured.map(({ key, order }) => [key, order] as const),
  ]);
  const sorted = parseSort(sort);
  const others = groupBy.filter((key) => sorted.every((entry) => entry.key !== key));
  const order = [...sorted, ...others.map((key) => ({ key, descending: false }))];
  return {
    columns: [
      ...shown,
      { key: 'count', label: 'Count', type: 'integer', shown: Prisma.sql`groups.size::text` },
      ...measured,
    ],
    rows: {
      source: groups,
      condition: Prisma.sql`true`,
      order: order.flatMap(({ key, descending }) =>
        (terms.get(key) ?? []).map((term) => ({
          ...term,
          descending,
          collation: forPeople && term.type === 'text' ? peopleCollation : undefined,
        })),
      ),
    },
    name: { of: 'group', values: shown.map((column) => column.shown) },
    count: Prisma.sql`SELECT count(*)::text AS count FROM ${groups}`,
  };
}

/** The value of an employee that a measure is computed from. */
function measuredValue({ field }: Measure, stored: Stored): Prisma.Sql {
  return field === tenure.key ? tenure.value(stored.today) : storedColumn(field, stored).name;
}

/** The column or expression of a key of groups. */
export function groupColumn(key: GroupKey, stored: Stored) {
  return computedGroup(key)?.column(stored.today) ?? storedColumn(key as ColumnKey, stored);
}

function parseSort(sort: readonly string[]): { key: string; descending: boolean }[] {
  return sort.map((entry) => ({ key: keyOf(entry), descending: entry.startsWith('-') }));
}

/** Formats dates and timestamps as in the rest of the API. */
export function shownValue(
  key: GroupKey,
  value: Prisma.Sql,
  { columns }: Pick<Stored, 'columns'>,
): Prisma.Sql {
  const computed = computedGroup(key);
  if (computed?.shown) return computed.shown(value);
  const { type } = describeGroupKey(key, columns);
  if (type === 'integer' || type === 'number') return Prisma.sql`${value}::text`;
  if (type === 'date') return dateExpression(value);
  return type === 'date_time' ? timestampExpression(value) : value;
}
