import type { AccountId } from '../../../platform/accounts/account-id.js';
import { Prisma, type ReadDatabase } from '../../../platform/database/client.js';
import { accountScope } from '../../../platform/database/scope.js';
import { EmployeeQuery } from '../../employees/index.js';
import type { ReportDefinition } from '../report.js';
import type { GroupKey } from '../report-columns.js';
import { type ChartData, type ChartRow, chartData } from './chart-data.js';
import { reportCondition } from './condition.js';
import { groupColumn, shownValue } from './plan.js';

/** Maximum number of values of each group key in a chart. The others are combined. */
export const maximumChartValues = 20;

/** Position of the combined values. */
const combined = maximumChartValues + 1;

/** The group keys for the bars of a chart, and for the parts that are stacked in them. */
interface ChartKeys {
  readonly bars: GroupKey;
  readonly stacks: GroupKey | undefined;
}

/** Years are on the horizontal axis, also when they are the second key. */
export function chartKeys([first, second]: readonly GroupKey[]): ChartKeys {
  if (first === undefined) throw new Error('A report without groups has no chart');
  return second === 'hire_year' ? { bars: second, stacks: first } : { bars: first, stacks: second };
}

/** Reads the data of charts of grouped reports. */
export class ReportCharts {
  readonly #database: ReadDatabase;

  constructor(database: ReadDatabase) {
    this.#database = database;
  }

  /**
   * Runs a grouped report and combines its groups: the 20 largest values of each key, or the latest 20 years, and one value
   * for all others.
   *
   * @param signal cancels the run
   */
  async read(accountId: AccountId, definition: ReportDefinition, signal: AbortSignal): Promise<ChartData> {
    const { text, values } = chartQuery(accountId, definition);
    const [result] = await this.#database.queryReport<{ rows: string }>(text, values, {
      scope: accountScope(accountId),
      signal,
    });
    const rows: ChartRow[] = JSON.parse(result?.rows ?? '[]');
    return chartData(rows, { combined, byYear: chartKeys(definition.groupBy).bars === 'hire_year' });
  }
}

/** Builds the query for the rows of a chart. It reads each group once, and returns at most 22 × 21 rows. */
function chartQuery(accountId: AccountId, { filters, groupBy }: ReportDefinition): Prisma.Sql {
  const { bars, stacks } = chartKeys(groupBy);
  const keys = stacks === undefined ? [bars] : [bars, stacks];
  const groups = new EmployeeQuery(accountId, filters.map(reportCondition)).groups(keys.map(groupColumn));
  const [bar, stack] = keys.map((key, index) => ({
    value: shownValue(key, Prisma.raw(`key_${index}`)),
    rank: rankOf(key, index),
    total: Prisma.sql`sum(size) OVER (PARTITION BY ${Prisma.raw(`key_${index}`)})`,
  }));
  if (bar === undefined) throw new Error('A chart has at least one key');
  return Prisma.sql`
    SELECT coalesce(json_agg(chart), '[]')::text AS rows FROM (
      SELECT least(bar, ${limit}) AS bar, least(stack, ${limit}) AS stack,
        min(CASE WHEN bar < ${limit} THEN bar_value END) AS bar_value,
        min(CASE WHEN stack < ${limit} THEN stack_value END) AS stack_value,
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

const limit = Prisma.raw(String(combined));

/** Position of a value, from 1: the largest first, or the latest year first. Employees without a year have position 0. */
function rankOf(key: GroupKey, index: number): Prisma.Sql {
  const value = Prisma.raw(`key_${index}`);
  if (key === 'hire_year' && index === 0) {
    return Prisma.sql`CASE WHEN ${value} IS NULL THEN 0 ELSE dense_rank() OVER (ORDER BY ${value} DESC NULLS LAST) END`;
  }
  return Prisma.sql`dense_rank() OVER (ORDER BY ${Prisma.raw(`total_${index}`)} DESC, ${value})`;
}
