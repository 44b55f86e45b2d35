import type { AccountId } from '../../../platform/accounts/account-id.js';
import { Prisma, type ReadDatabase } from '../../../platform/database/client.js';
import { accountScope } from '../../../platform/database/scope.js';
import { type AsOf, EmployeeQuery, employeeColumns } from '../../employees/index.js';
import { computedGroup } from '../computed-keys.js';
import type { ReportDefinition } from '../report.js';
import type { GroupKey } from '../report-columns.js';
import { groupColumn, reportCondition, type Stored, shownValue } from './plan.js';

/** A value of a group key; `null` for employees without a value. */
export type ChartValue =
  | { readonly value: string | null }
  /** All other values, and their number. */
  | { readonly others: number };

/** Data of a chart: numbers of employees. */
export interface ChartData {
  readonly bars: readonly ChartValue[];
  /** The parts of each bar; one when the report has one group key. */
  readonly stacks: readonly ChartValue[];
  /** Number of employees of each part of each bar. */
  readonly counts: readonly (readonly number[])[];
}

/** A row of the query: positions of a bar and of a part of it, their values, and the number of employees. */
interface ChartRow {
  readonly bar: number;
  readonly stack: number;
  readonly bar_value: string | null;
  readonly stack_value: string | null;
  /** The highest positions of the combined values. */
  readonly bars: number;
  readonly stacks: number;
  readonly size: string;
}

/** Maximum numbers of values in a chart. The others are combined. */
interface ChartLimits {
  readonly bars: number;
  readonly stacks: number;
}

/** Twenty parts are as many as their legend can explain, and so many bars have room for them. */
function chartLimits({ bars, stacks }: ChartKeys): ChartLimits {
  return { bars: stacks === undefined || periodOf(bars) ? 40 : 20, stacks: 20 };
}

/** What the values of a key are, if they follow each other in time. */
export function periodOf(key: GroupKey | undefined): 'year' | 'month' | undefined {
  return key && computedGroup(key)?.period;
}

/** Most years or months between the first and the last one of which those without employees are shown. */
const maximumPeriods = 40;

/** The number of a year or a month, such as `2026` or `2026-01`, in their order. */
function periodNumber(text: string): number {
  const [year, month] = text.split('-').map(Number);
  return month === undefined ? Number(year) : Number(year) * 12 + month - 1;
}

/** The year or the month with a number. */
function periodText(number: number, period: 'year' | 'month'): string {
  if (period === 'year') return String(number);
  const [year, month] = [Math.floor(number / 12), (number % 12) + 1];
  return `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}`;
}

function chartData(rows: readonly ChartRow[], keys: ChartKeys): ChartData {
  const period = periodOf(keys.bars);
  const limits = chartLimits(keys);
  const bars = new Map<number, ChartValue>();
  const stacks = new Map<number, ChartValue>();
  const sizes = new Map<string, number>();
  const others = { bars: 0, stacks: 0 };
  for (const row of rows) {
    others.bars = Math.max(others.bars, row.bars - limits.bars);
    others.stacks = Math.max(others.stacks, row.stacks - limits.stacks);
    bars.set(row.bar, row.bar > limits.bars ? { others: others.bars } : { value: row.bar_value });
    stacks.set(row.stack, row.stack > limits.stacks ? { others: others.stacks } : { value: row.stack_value });
    sizes.set(`${row.bar} ${row.stack}`, Number(row.size));
  }
  const stackOrder = [...stacks.keys()].sort((one, other) => one - other);
  const order = [...bars.keys()].sort((one, other) => (period ? other - one : one - other));
  const shown = order.map((bar): [ChartValue, number[]] => [
    bars.get(bar) ?? { value: null },
    stackOrder.map((stack) => sizes.get(`${bar} ${stack}`) ?? 0),
  ]);
  const complete = period ? withEmptyPeriods(shown, { period, parts: stackOrder.length }) : shown;
  return {
    bars: complete.map(([value]) => value),
    stacks: stackOrder.map((stack) => stacks.get(stack) ?? { value: null }),
    counts: complete.map(([, counts]) => counts),
  };
}

/** Adds the years or months without employees, unless there are many between the first and the last one. */
function withEmptyPeriods(
  bars: readonly [ChartValue, number[]][],
  { period, parts }: { period: 'year' | 'month'; parts: number },
): [ChartValue, number[]][] {
  const found = new Map(
    bars.flatMap(([bar, counts]) =>
      'value' in bar && bar.value !== null ? [[periodNumber(bar.value), counts] as const] : [],
    ),
  );
  const [first = 0, last = 0] = [Math.min(...found.keys()), Math.max(...found.keys())];
  if (found.size === 0 || last - first >= maximumPeriods) return [...bars];
  const isPeriod = ([bar]: [ChartValue, number[]]) => 'value' in bar && bar.value !== null;
  const start = bars.findIndex(isPeriod);
  const all = Array.from({ length: last - first + 1 }, (_, index): [ChartValue, number[]] => {
    const number = first + index;
    return [{ value: periodText(number, period) }, found.get(number) ?? new Array<number>(parts).fill(0)];
  });
  return [...bars.slice(0, start), ...all, ...bars.slice(start + found.size)];
}

/** The group keys for the bars of a chart, and for the parts that are stacked in them. */
interface ChartKeys {
  readonly bars: GroupKey;
  readonly stacks: GroupKey | undefined;
}

/** Years and months are on the horizontal axis, also when they are the second key. */
export function chartKeys([first, second]: readonly GroupKey[]): ChartKeys {
  if (first === undefined) throw new Error('A report without groups has no chart');
  const isSwapped = second !== undefined && periodOf(second) && !periodOf(first);
  return isSwapped ? { bars: second, stacks: first } : { bars: first, stacks: second };
}

/** The columns of the reader, and the date of today in UTC. */
type ChartReader = Pick<Stored, 'columns' | 'today'> & { readonly asOf?: AsOf | undefined };

/**
 * Runs a grouped report and combines its groups: the largest values of each key, or the latest years or months, and one value for
 * all others.
 *
 * @param signal cancels the run
 */
export async function readChart(
  database: ReadDatabase,
  {
    accountId,
    report,
    signal,
    ...reader
  }: { accountId: AccountId; report: ReportDefinition; signal: AbortSignal } & ChartReader,
): Promise<ChartData> {
  const { text, values } = chartQuery(accountId, report, reader);
  const [result] = await database.queryReport<{ rows: string }>(text, values, {
    scope: accountScope(accountId),
    signal,
  });
  const rows: ChartRow[] = JSON.parse(result?.rows ?? '[]');
  return chartData(rows, chartKeys(report.groupBy));
}

/** Builds the query for the rows of a chart. It reads each group once, and returns at most 42 × 21 rows. */
function chartQuery(
  accountId: AccountId,
  { filters, groupBy }: ReportDefinition,
  { columns, today, asOf }: ChartReader,
): Prisma.Sql {
  const stored = { columns, today, table: employeeColumns };
  const shown = chartKeys(groupBy);
  const { bars, stacks } = shown;
  const limits = chartLimits(shown);
  // The position after the last one is that of the combined values.
  const [barLimit, stackLimit] = [limits.bars, limits.stacks].map((limit) => Prisma.raw(String(limit + 1)));
  const keys = stacks === undefined ? [bars] : [bars, stacks];
  const groups = new EmployeeQuery(
    accountId,
    filters.map((filter) => reportCondition(filter, stored)),
    { asOf: asOf?.end },
  ).groups(keys.map((key) => groupColumn(key, stored)));
  const [bar, stack] = keys.map((key, index) => ({
    value: shownValue(key, Prisma.raw(`key_${index}`), stored),
    rank: rankOf(key, index),
    total: Prisma.sql`sum(size) OVER (PARTITION BY ${Prisma.raw(`key_${index}`)})`,
  }));
  if (bar === undefined || barLimit === undefined || stackLimit === undefined)
    throw new Error('A chart has at least one key');
  return Prisma.sql`
    SELECT coalesce(json_agg(chart), '[]')::text AS rows FROM (
      SELECT least(bar, ${barLimit}) AS bar, least(stack, ${stackLimit}) AS stack,
        min(CASE WHEN bar < ${barLimit} THEN bar_value END) AS bar_value,
        min(CASE WHEN stack < ${stackLimit} THEN stack_value END) AS stack_value,
        max(bar) AS bars, max(stack) AS stacks, sum(size)::text AS size
      FROM (
        SELECT size, bar_value, stack_value, ${bar.rank} AS bar, ${stack?.rank ?? Prisma.sql`1`} AS stack
        FROM (
          SELECT *, ${bar.value} AS bar_value, ${stack?.value ?? Prisma.sql`NULL::text`} AS stack_value,
            ${bar.total} AS total_0, ${stack?.total ?? Prisma.sql`size`} AS total_1
          FROM (${groups}) AS groups
        ) AS totals
      ) AS ranked
      GROUP BY 1, 2 ORDER BY 1, 2
    ) AS chart`;
}

/**
 * Position of a value, from 1: the largest first, or the latest year or month first. Employees without a year or a month have
 * position 0.
 */
function rankOf(key: GroupKey, index: number): Prisma.Sql {
  const value = Prisma.raw(`key_${index}`);
  if (periodOf(key) && index === 0) {
    return Prisma.sql`CASE WHEN ${value} IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY ${value} DESC NULLS LAST) END`;
  }
  return Prisma.sql`dense_rank() OVER (ORDER BY ${Prisma.raw(`total_${index}`)} DESC, ${value})`;
}
