import type { AccountId } from '../../../platform/accounts/account-id.js';
import type { CallerAuditContext } from '../../../platform/audit/audit-log.js';
import type { AuditedExports, CsvChunks } from '../../../platform/audit/audited-exports.js';
import { type Clock, utcDate } from '../../../platform/clock.js';
import type { Config } from '../../../platform/config/config.js';
import { type AttributeAccess, contractAccess } from '../../../platform/contract/attribute-access.js';
import type { Core } from '../../../platform/core.js';
import { Prisma, type ReadDatabase } from '../../../platform/database/client.js';
import { isStatementCanceled } from '../../../platform/database/database-errors.js';
import {
  type Anchor,
  isAnchor,
  orderBy,
  pageQuery,
  splitPage,
} from '../../../platform/database/page-query.js';
import { accountScope } from '../../../platform/database/scope.js';
import type { ReportConcurrency } from '../../../platform/limits/report-concurrency.js';
import { Problem } from '../../../platform/problems/problem.js';
import { type AsOf, EmployeeHistory, endOf, type HistoryDates, parseAsOf } from '../../employees/index.js';
import { withDatesOf } from '../relative-dates.js';
import type { Report, ReportDefinition } from '../report.js';
import { type ColumnDescription, contractColumns, type ReportColumns } from '../report-columns.js';
import { reportDetails } from '../reports.js';
import { type Headcount, headcountDates, readHeadcounts } from './headcount.js';
import { planResult, type ResultPlan } from './plan.js';
import { type ChartData, readChart } from './report-charts.js';
import { type FoundRow, type ResultRow, toRow } from './result-rows.js';

/** Builds the query for a whole result, whose columns have the names of the header line. */
function csvQuery({ columns, rows: { source, condition, order } }: ResultPlan): Prisma.Sql {
  const cells = columns.map(
    ({ shown, inFile = shown }, index) => Prisma.sql`${inFile} AS ${Prisma.raw(`cell_${index}`)}`,
  );
  const named = columns.map(({ key }, index) => Prisma.raw(`cell_${index} AS "${key}"`));
  // Column keys are also names of stored columns: in a single query, ORDER BY would refer to the output columns. The order
  // of the subquery is preserved, because reports run without parallel workers.
  return Prisma.sql`
    SELECT ${Prisma.join(named)} FROM (
      SELECT ${Prisma.join(cells)} FROM ${source} WHERE ${condition} ORDER BY ${orderBy(order)}
    ) AS rows`;
}

/** The last row of a page, and the version of the report that defined the order. */
export interface ResultAnchor {
  readonly version: number;
  readonly values: Anchor;
}

export interface ResultPage {
  readonly columns: readonly ColumnDescription[];
  readonly rows: readonly ResultRow[];
  /** Total number of rows on all pages. */
  readonly recordCount: number;
  /** Start of the next page; `null` on the last page. */
  readonly nextAnchor: ResultAnchor | null;
}

/** A page of a result. The anchor must be from this report. */
interface ResultPageRequest {
  readonly size: number;
  readonly from: { readonly anchor: ResultAnchor } | { readonly skip: number };
}

/** Who reads a result. The report uses no other columns. Default: a reader of the attributes of the contract. */
export interface ResultReader {
  readonly access?: AttributeAccess;
  /** The columns of the reader. */
  readonly columns?: ReportColumns;
  /** The date whose employees are read, at which relative dates are computed. Default: the present ones. */
  readonly asOf?: AsOf | undefined;
}

/** The date in a plan that only describes its result. */
const anyDay = '0001-01-01';

/** Whether an anchor belongs to this version of the report. */
export function isAnchorOf(
  accountId: AccountId,
  report: Report,
  { version, values }: ResultAnchor,
  reader: ResultReader = {},
): boolean {
  // Filters do not change the order.
  const { rows } = planResult(accountId, { ...report, filters: [] }, { ...reader, today: anyDay });
  return version === report.version && isAnchor(rows.order, values);
}

/** Labels of the columns of a result. */
export function resultLabels(accountId: AccountId, report: Report, columns: ReportColumns): string[] {
  const plan = planResult(accountId, { ...report, filters: [] }, { columns, today: anyDay });
  return plan.columns.map(({ key, label }) => (key === 'count' ? 'Employees' : label));
}

/** A run of a report, which need not be saved. */
interface ReportRun extends ResultReader {
  readonly accountId: AccountId;
  readonly report: ReportDefinition & Pick<Report, 'version'>;
  readonly page: ResultPageRequest;
  /** Aborts when the client disconnects, and cancels the statement. */
  readonly signal: AbortSignal;
}

/** A run at a time: without relative dates, and with the date of today in UTC. */
type DatedRun = ReportRun & Pick<Parameters<typeof planResult>[2], 'today'>;

interface ExportOptions extends ResultReader {
  /** Stops the export, even when its chunks are not read, because a response may be queued behind another one. */
  readonly signal: AbortSignal;
  /** Called before each chunk is yielded, with the number of rows that end in it. */
  readonly onRows?: (count: number) => void;
}

/** Runs reports within the limits of their account. */
export class ReportResults {
  readonly #database: ReadDatabase;
  readonly #slots: ReportConcurrency;
  readonly #exports: AuditedExports;
  readonly #clock: Clock;
  readonly #history: EmployeeHistory;

  constructor({
    reads,
    reportSlots,
    auditedExports,
    clock,
    config,
  }: Pick<Core, 'reads' | 'reportSlots' | 'auditedExports' | 'clock'> & {
    readonly config: Pick<Config, 'historyRetentionDays'>;
  }) {
    this.#database = reads;
    this.#slots = reportSlots;
    this.#exports = auditedExports;
    this.#clock = clock;
    this.#history = new EmployeeHistory(reads, { clock, retentionDays: config.historyRetentionDays });
  }

  /**
   * Reads whether a date is in the history of an account.
   *
   * @returns the date, or the dates for which the history is complete
   */
  async findAsOf(accountId: AccountId, date: string): Promise<AsOf | HistoryDates> {
    const dates = await this.#history.dates(accountId);
    return parseAsOf(date, dates) ?? dates;
  }

  /**
   * Waits for a slot of the account, and reads the number of employees over time with the start of the history.
   *
   * @throws {Problem} as {@link readPage}
   */
  async readHeadcounts(
    accountId: AccountId,
    signal: AbortSignal,
  ): Promise<{ readonly oldest: string; readonly headcounts: readonly Headcount[] }> {
    const history = await this.#history.dates(accountId);
    const dates = headcountDates(history);
    const headcounts = await this.#inSlot({ accountId, signal }, () =>
      readHeadcounts(this.#database, { accountId, dates, signal }),
    );
    return { oldest: history.oldest, headcounts };
  }

  /**
   * Waits for a slot of the account, runs a report and reads one page of its result. The count and the rows are from one
   * snapshot.
   *
   * @throws {Problem} 429 `rate_limit_exceeded` when no slot is free in time, 503 `service_unavailable` when the run took too
   *   long
   */
  readPage(run: ReportRun): Promise<ResultPage> {
    return this.#inSlot(run, () => this.#readPage(this.#resolvedRun(run)));
  }

  /**
   * Reads one page of a result as {@link readPage}, and in the same slot the data of its chart; `null` on other pages than the
   * first, and for a report without groups or rows. Groups are in the order in which people sort texts.
   */
  readPageWithChart(run: ReportRun): Promise<{ result: ResultPage; chart: ChartData | null }> {
    return this.#inSlot(run, async () => {
      const resolved = this.#resolvedRun(run);
      const { report, page } = resolved;
      const result = await this.#readPage(resolved, { forPeople: 'skip' in page.from });
      const isFirst = 'skip' in page.from && page.from.skip === 0;
      const hasChart = report.groupBy.length > 0 && result.recordCount > 0 && isFirst;
      return {
        result,
        chart: hasChart ? await readChart(this.#database, { columns: contractColumns, ...resolved }) : null,
      };
    });
  }

  /** Yields a whole result as CSV, and stores an audit event: see {@link AuditedExports.stream}. */
  export({ at, ...auditContext }: CallerAuditContext, report: Report, options: ExportOptions): CsvChunks {
    return this.#exports.stream({
      event: { type: 'report.exported', ...auditContext, details: reportDetails(report) },
      at,
      chunks: this.streamCsv(auditContext.accountId, report, options),
      ...options,
    });
  }

  /** Reads in a slot of the account. */
  async #inSlot<Result>(
    { accountId, signal }: Pick<ReportRun, 'accountId' | 'signal'>,
    read: () => Promise<Result>,
  ): Promise<Result> {
    const release = await this.#slots.forRun(accountId, signal);
    try {
      return await read();
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      throw isStatementCanceled(error) ? tookTooLong(error) : error;
    } finally {
      release();
    }
  }

  #resolvedRun(run: ReportRun): DatedRun {
    return { ...run, ...this.#resolved(run.report, run) };
  }

  /** A report with the relative dates of the current time, or of the date whose employees it has. */
  #resolved<Definition extends ReportDefinition>(
    report: Definition,
    { columns = contractColumns, asOf }: ResultReader,
  ): { report: Definition; today: string } {
    const now = asOf === undefined ? this.#clock() : endOf(asOf);
    const filters = withDatesOf(report.filters, { now, columns });
    return { report: { ...report, filters }, today: utcDate(now) };
  }

  async #readPage(
    { accountId, report, page, signal, ...options }: DatedRun,
    { forPeople = false }: { readonly forPeople?: boolean } = {},
  ): Promise<ResultPage> {
    const { size, from } = page;
    const plan = planResult(accountId, report, { ...options, forPeople });
    const start = 'anchor' in from ? { anchor: from.anchor.values } : from;
    const { text, values } = countAndPage(plan, pageQuery(plan.rows, rowColumns(plan), { size, start }));
    const [result] = await this.#database.queryReport<{ count: string; rows: string }>(text, values, {
      scope: accountScope(accountId),
      signal,
    });
    const found: FoundRow[] = JSON.parse(result?.rows ?? '[]');
    const { rows, nextAnchor } = splitPage(found, size);
    return {
      columns: plan.columns,
      rows: rows.map((row) => toRow(plan, row)),
      recordCount: Number(result?.count ?? 0),
      nextAnchor: nextAnchor === null ? null : { version: report.version, values: nextAnchor },
    };
  }

  /**
   * Runs a report and yields the whole result as CSV in chunks of bytes: a header line of column keys, then a line for
   * each row. All rows are from one snapshot. Values are not altered.
   *
   * @param signal cancels the statement
   * @see RFC 4180
   */
  streamCsv(
    accountId: AccountId,
    report: Report,
    { signal, access = contractAccess, columns = contractColumns, asOf }: Omit<ExportOptions, 'onRows'>,
  ): AsyncGenerator<Buffer, void, undefined> {
    const reader = { access, columns, asOf };
    const { report: resolved, today } = this.#resolved(report, reader);
    const query = csvQuery(planResult(accountId, resolved, { ...reader, today }));
    return this.#database.streamCsv({ query, signal, scope: accountScope(accountId) });
  }
}

/** Combines count and page in one statement, which has one snapshot, one connection and one cancellation. */
function countAndPage({ count }: ResultPlan, page: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`
    SELECT (${count}) AS count, (SELECT coalesce(json_agg(page), '[]')::text FROM (${page}) AS page) AS rows`;
}

function rowColumns({ columns, name }: ResultPlan): Prisma.Sql {
  return Prisma.sql`${textArray(columns.map(({ shown }) => shown))} AS shown, ${textArray(name.values)} AS named`;
}

function textArray(values: readonly Prisma.Sql[]): Prisma.Sql {
  return Prisma.sql`ARRAY[${Prisma.join([...values])}]::text[]`;
}

function tookTooLong(cause: unknown): Problem {
  return new Problem(
    'service_unavailable',
    'The report exceeded the maximum duration of a run. Use fewer or more selective filters, or try again later.',
    { retryAfterSeconds: 5, cause },
  );
}
