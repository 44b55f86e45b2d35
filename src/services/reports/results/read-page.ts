import { createHash } from 'node:crypto';
import { type Database, Prisma } from '../../../database/client.js';
import { accountScope } from '../../../database/scope.js';
import type { AccountId } from '../../account-id.js';
import type { Report } from '../report.js';
import type { ColumnDescription } from '../report-columns.js';
import { afterRow, asText, fitOrder, orderList } from './order.js';
import { planResult, type ResultPlan } from './plan.js';

/** One row: its values in the order of the columns. */
export interface ResultRow {
  readonly id: string;
  readonly values: readonly (string | number)[];
}

/** The last row of a page: what it is ordered by, and the version of the report that ordered it. */
export interface ResultAnchor {
  readonly version: number;
  readonly values: readonly string[];
}

export interface ResultPage {
  readonly columns: readonly ColumnDescription[];
  readonly rows: readonly ResultRow[];
  /** Number of rows on all pages together. */
  readonly recordCount: number;
  /** Where the next page begins; `null` when no row is left. */
  readonly nextAnchor: ResultAnchor | null;
}

/** Which page of a result. The anchor must be one of the report. */
export interface ResultPageRequest {
  readonly size: number;
  readonly skip: number;
  readonly anchor: ResultAnchor | undefined;
}

/** The values that are shown, those that name the row, and those that it is ordered by. */
type FoundRow = readonly [shown: readonly string[], named: readonly string[], ordered: readonly string[]];

/** Whether an anchor was made by this version of the report. */
export function isAnchorOf(accountId: AccountId, report: Report, { version, values }: ResultAnchor): boolean {
  return version === report.version && fitOrder(planResult(accountId, report).order, values);
}

/**
 * Runs a report and reads one page of its result. Count and rows are from one snapshot.
 *
 * @param signal cancels the run
 */
export async function readResultPage(
  database: Database,
  accountId: AccountId,
  { report, page, signal }: { report: Report; page: ResultPageRequest; signal: AbortSignal },
): Promise<ResultPage> {
  const plan = planResult(accountId, report);
  const { size, skip, anchor } = page;
  const { text, values } = resultQuery(
    plan,
    pageQuery(accountId, plan, { size, skip, after: anchor?.values }),
  );
  const scope = accountScope(accountId);
  const [result] = await database.queryReport<{ count: string; rows: string }>(text, values, {
    scope,
    signal,
  });
  const found: FoundRow[] = JSON.parse(result?.rows ?? '[]');
  // The row beyond the page tells whether there is a next one.
  const last = found.length > size ? found[size - 1] : undefined;
  return {
    columns: plan.columns,
    rows: found.slice(0, size).map((row) => toRow(plan, row)),
    recordCount: Number(result?.count ?? 0),
    nextAnchor: last === undefined ? null : { version: report.version, values: last[2] },
  };
}

/**
 * Count and page as one statement: it has one snapshot, needs one connection and one round trip, and is cancelled as a
 * whole.
 */
function resultQuery({ countQuery }: ResultPlan, page: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT (${countQuery}) AS count,
      (SELECT coalesce(json_agg(json_build_array(shown, named, ordered)), '[]')::text FROM (${page}) AS page) AS rows`;
}

function pageQuery(
  accountId: AccountId,
  { columns, source, condition, order, name, isWholeAccount }: ResultPlan,
  { size, skip, after }: { size: number; skip: number; after: readonly string[] | undefined },
): Prisma.Sql {
  const seeks = isWholeAccount && after === undefined && skip > 0;
  const beginning =
    after !== undefined
      ? afterRow(order, after)
      : seeks
        ? Prisma.sql`position >= (SELECT employee_position_at(${accountId}, ${skip}::int8))`
        : Prisma.sql`true`;
  return Prisma.sql`
    SELECT ${textArray(columns.map(({ shown }) => shown))} AS shown, ${textArray(name.values)} AS named,
      ${textArray(order.map(asText))} AS ordered
    FROM ${source} WHERE ${condition} AND ${beginning}
    ORDER BY ${orderList(order)}
    LIMIT ${size + 1}::int8 OFFSET ${after !== undefined || seeks ? 0 : skip}::int8`;
}

function textArray(values: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.sql`ARRAY[${Prisma.join([...values])}]::text[]`;
}

function toRow({ columns, name }: ResultPlan, [shown, named]: FoundRow): ResultRow {
  return {
    id: name.of === 'employee' ? (named[0] ?? '') : groupName(named),
    values: columns.map(({ type }, index) =>
      type === 'integer' ? Number(shown[index]) : (shown[index] ?? ''),
    ),
  };
}

const longestName = 1024;

function groupName(values: readonly string[]): string {
  const name = Buffer.from(JSON.stringify(values)).toString('base64url');
  return name.length <= longestName ? name : createHash('sha256').update(name).digest('base64url');
}
