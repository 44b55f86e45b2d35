import { Readable } from 'node:stream';
import type { Clock } from '../../platform/clock.js';
import { requireAcceptable } from '../../platform/http/accept.js';
import { auditOrigin } from '../../platform/http/audit-origin.js';
import { type Handlers, type Input, jsonText, type Output } from '../../platform/http/binding/handlers.js';
import type { ChunkStream } from '../../platform/http/chunk-stream.js';
import type { CsvDownloads } from '../../platform/http/csv-downloads.js';
import { abortOnDisconnect } from '../../platform/http/disconnect.js';
import { PageRequest } from '../../platform/http/pagination.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { recordNotFound } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import type { Report } from './report.js';
import { reportColumns } from './report-columns.js';
import { isResultAnchor, toRowResource } from './report-handlers.js';
import type { ReportRuns } from './report-runs.js';
import type { Reports } from './reports.js';
import {
  isAnchorOf,
  type ReportExports,
  type ReportResults,
  type ResultAnchor,
  type ResultPage,
  type ResultPageRequest,
} from './results/report-results.js';

interface ReportDownloadOptions {
  readonly clock: Clock;
  readonly exports: ReportExports;
  readonly downloads: CsvDownloads;
}

/** CSV downloads of results. */
class ReportDownloads {
  readonly #options: ReportDownloadOptions;

  constructor(options: ReportDownloadOptions) {
    this.#options = options;
  }

  /**
   * Runs a report and waits for the first bytes of the CSV.
   *
   * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
   */
  begin(
    { caller: { accountId, applicationId, userId }, request, reply }: Input<'exportReport'>,
    report: Report,
  ): Promise<ChunkStream> {
    const { clock, exports, downloads } = this.#options;
    const auditContext = { accountId, applicationId, userId, origin: auditOrigin(request), at: clock() };
    const onRows = (count: number) => {
      request.records += count;
    };
    const make = (signal: AbortSignal) => exports.stream(auditContext, report, { signal, onRows });
    return downloads.begin({ accountId, request, reply, make });
  }
}

/** Runs of reports, and the columns that reports can have. */
export class ReportResultHandlers
  implements Pick<Handlers, 'runReport' | 'exportReport' | 'listReportColumns'>
{
  readonly #results: ReportResults;
  readonly #reports: Reports;
  readonly #baseUrl: string;
  readonly #runs: ReportRuns;
  readonly #downloads: ReportDownloads;

  constructor(
    results: ReportResults,
    {
      reports,
      baseUrl,
      runs,
      ...options
    }: { reports: Reports; baseUrl: string; runs: ReportRuns } & ReportDownloadOptions,
  ) {
    this.#results = results;
    this.#reports = reports;
    this.#baseUrl = baseUrl;
    this.#runs = runs;
    this.#downloads = new ReportDownloads(options);
  }

  /**
   * @throws {Problem} 400 `invalid_request`, 406 `not_acceptable`, 404 `not_found`, 429 `rate_limit_exceeded`,
   *   503 `service_unavailable`
   */
  async runReport(input: Input<'runReport'>): Promise<Output<'runReport'>> {
    const { caller, request } = input;
    const page = new PageRequest<ResultAnchor>(
      input.query,
      { baseUrl: this.#baseUrl, url: request.url },
      isResultAnchor,
    );
    requireAcceptable(request, 'application/json; charset=utf-8');
    const report = await this.#getReport(input);
    if (page.anchor !== undefined && !isAnchorOf(caller.accountId, report, page.anchor)) {
      throw invalidParameter('page[after]', violation('report_cursor'));
    }
    const result = await this.#readPage(input, report, page);
    const columns = result.columns.map(({ key, label, type }) => ({ key, label, type }));
    const { nextCursor, links } = page.locate(result.recordCount, result.nextAnchor);
    return {
      status: 200,
      headers: { vary: 'Accept' },
      records: result.rows.length,
      // Serialized here: the serializer of Fastify would reorder the attributes.
      body: jsonText({
        data: result.rows.map((row) => toRowResource(row, columns)),
        meta: { record_count: result.recordCount, next_cursor: nextCursor, columns },
        links,
      }),
    };
  }

  /** @throws {Problem} 404 `not_found`, 429 `rate_limit_exceeded`, 503 `service_unavailable` */
  async exportReport(input: Input<'exportReport'>): Promise<Output<'exportReport'>> {
    const report = await this.#getReport(input);
    const headers = {
      // Version 1.0.0 of the contract has it.
      vary: 'Accept',
      'content-disposition': `attachment; filename="report-${report.id}.csv"`,
    };
    // HEAD does not run the report and needs no slot.
    const isHead = input.request.method === 'HEAD';
    const body = isHead ? Readable.from([]) : await this.#downloads.begin(input, report);
    return { status: 200, type: 'text/csv', headers, body };
  }

  async listReportColumns(_input: Input<'listReportColumns'>): Promise<Output<'listReportColumns'>> {
    const data = reportColumns.map(({ key, label, type }) => ({
      id: key,
      type: 'report_columns' as const,
      attributes: { key, label, type },
    }));
    return { status: 200, body: { data, meta: { record_count: data.length } } };
  }

  /** Called before the request is queued, so that an unknown report is rejected immediately. */
  async #getReport({
    caller,
    params,
  }: Pick<Input<'runReport' | 'exportReport'>, 'caller' | 'params'>): Promise<Report> {
    const report = await this.#reports.get(caller.accountId, params.report_id);
    if (report === null) throw recordNotFound();
    return report;
  }

  #readPage(
    { caller: { accountId }, reply }: Input<'runReport'>,
    report: Report,
    page: ResultPageRequest,
  ): Promise<ResultPage> {
    const { signal } = abortOnDisconnect(reply.raw);
    const read = () => this.#results.readPage(accountId, { report, page, signal });
    return this.#runs.run(accountId, { signal, read });
  }
}
