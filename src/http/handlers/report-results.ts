import { Readable } from 'node:stream';
import { type Handlers, type Input, jsonText, type Output } from '../../contract/handlers.js';
import type { Database } from '../../database/client.js';
import { recordNotFound } from '../../problems/problem.js';
import { getReport } from '../../services/reports/get-report.js';
import type { Report } from '../../services/reports/report.js';
import { reportColumns } from '../../services/reports/report-columns.js';
import { type ResultAnchor, readResultPage } from '../../services/reports/results/read-page.js';
import { streamCsv } from '../../services/reports/results/stream-csv.js';
import { preferredOf } from '../accept.js';
import { ChunkStream } from '../chunk-stream.js';
import { PageRequest } from '../pagination.js';
import { isResultAnchor } from './report-anchors.js';
import { toRowResource } from './report-documents.js';

/** What reports answer, and the columns that they can ask for. */
export class ReportResultHandlers implements Pick<Handlers, 'runReport' | 'listReportColumns'> {
  readonly #database: Database;
  readonly #baseUrl: string;

  constructor(database: Database, baseUrl: string) {
    this.#database = database;
    this.#baseUrl = baseUrl;
  }

  /** @throws {Problem} 404 `not_found` */
  async runReport(input: Input<'runReport'>): Promise<Output<'runReport'>> {
    const { caller, params, request } = input;
    const page = new PageRequest<ResultAnchor>(
      input.query,
      { baseUrl: this.#baseUrl, url: request.url },
      isResultAnchor,
    );
    const report = await getReport(this.#database, caller.accountId, params.report_id);
    if (report === null) throw recordNotFound();
    const type = preferredOf(request.headers.accept, ['application/json', 'text/csv']);
    if (type === 'text/csv') return this.#table(input, report);
    const result = await readResultPage(this.#database, caller.accountId, report, page);
    const columns = result.columns.map(({ key, label, type }) => ({ key, label, type }));
    return {
      status: 200,
      headers: { vary: 'Accept' },
      // As text: a serialiser would put the attributes into the order of the contract.
      body: jsonText({
        data: result.rows.map((row) => toRowResource(row, columns)),
        meta: { record_count: result.recordCount, columns },
        links: page.links(result.recordCount, result.nextAnchor),
      }),
    };
  }

  async listReportColumns(_input: Input<'listReportColumns'>): Promise<Output<'listReportColumns'>> {
    const data = reportColumns.map(({ key, label, type }) => ({
      id: key,
      type: 'report_columns' as const,
      attributes: { key, label, type },
    }));
    return { status: 200, body: { data, meta: { record_count: data.length } } };
  }

  async #table({ caller, request, reply }: Input<'runReport'>, report: Report): Promise<Output<'runReport'>> {
    // Whoever asks by HEAD wants to know whether there is a table, not to have it made.
    const body =
      request.method === 'HEAD'
        ? Readable.from([])
        : await ChunkStream.begin(reply.raw, (signal) =>
            streamCsv(this.#database, caller.accountId, report, signal),
          );
    const headers = {
      vary: 'Accept',
      'content-disposition': `attachment; filename="report-${report.id}.csv"`,
    };
    return { status: 200, type: 'text/csv', headers, body };
  }
}
