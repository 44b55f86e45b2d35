import { Readable } from 'node:stream';
import { customKey, isRestricted, restrictedMeta } from '../../platform/contract/attribute-access.js';
import type { components } from '../../platform/contract/generated.js';
import { isStorableText } from '../../platform/contract/outside-text.js';
import type { Core } from '../../platform/core.js';
import { requireAcceptable } from '../../platform/http/accept.js';
import { type Handlers, type Input, jsonText, type Output } from '../../platform/http/binding/handlers.js';
import { abortOnDisconnect } from '../../platform/http/disconnect.js';
import { PageRequest } from '../../platform/http/pagination.js';
import { callerContext } from '../../platform/http/principal.js';
import { invalidParameter } from '../../platform/problems/invalid-request.js';
import { found } from '../../platform/problems/problem.js';
import { violation } from '../../platform/problems/rule-texts.js';
import type { AsOf } from '../employees/index.js';
import type { AccountColumns } from './account-columns.js';
import { measureOf } from './measures.js';
import { readableReport } from './readable-report.js';
import type { Report } from './report.js';
import type { ColumnDescription, ReportColumns } from './report-columns.js';
import type { Reports } from './reports.js';
import { isAnchorOf, type ReportResults, type ResultAnchor } from './results/report-results.js';
import type { ResultRow } from './results/result-rows.js';

/** Whether the content of a cursor is an anchor of a page of rows. Whether it matches the report is checked later. */
function isResultAnchor(value: unknown): value is ResultAnchor {
  const { version, values } = (value ?? {}) as Partial<ResultAnchor>;
  return Number.isSafeInteger(version) && Array.isArray(values) && values.every(isStorableText);
}

/** A row of a result, its attributes in the order of the columns, and custom attributes and measures in objects of their own. */
function toRowResource(
  row: ResultRow,
  columns: readonly ColumnDescription[],
): components['schemas']['ReportRow'] {
  const values = columns.map(({ key }, index) => {
    const custom = customKey(key);
    const member = custom !== undefined ? 'custom' : measureOf(key) ? 'measures' : 'attributes';
    return { member, entry: [custom ?? key, row.values[index]] };
  });
  const entriesOf = (of: string) => values.filter(({ member }) => member === of).map(({ entry }) => entry);
  const [custom, measures] = [entriesOf('custom'), entriesOf('measures')];
  return {
    id: row.id,
    type: 'report_rows',
    attributes: {
      ...Object.fromEntries(entriesOf('attributes')),
      ...(custom.length > 0 && { custom: Object.fromEntries(custom) }),
      ...(measures.length > 0 && { measures: Object.fromEntries(measures) }),
    },
  };
}

/** A report without the columns that its reader may not read, and the columns of the reader. */
interface RunnableReport {
  readonly report: Report;
  readonly columns: ReportColumns;
}

/** Runs of reports, and the columns that reports can have. */
export class ReportResultHandlers
  implements Pick<Handlers, 'runReport' | 'exportReport' | 'listReportColumns'>
{
  readonly #results: ReportResults;
  readonly #reports: Reports;
  readonly #columns: AccountColumns;
  readonly #core: Pick<Core, 'config' | 'clock' | 'downloads'>;

  constructor(
    { results, reports, columns }: { results: ReportResults; reports: Reports; columns: AccountColumns },
    core: Pick<Core, 'config' | 'clock' | 'downloads'>,
  ) {
    this.#results = results;
    this.#reports = reports;
    this.#columns = columns;
    this.#core = core;
  }

  /**
   * @throws {Problem} 400 `invalid_request`, 406 `not_acceptable`, 404 `not_found`, 429 `rate_limit_exceeded`,
   *   503 `service_unavailable`
   */
  async runReport(input: Input<'runReport'>): Promise<Output<'runReport'>> {
    const { caller, request, reply } = input;
    const { accountId, access } = caller;
    const page = new PageRequest<ResultAnchor>(
      input.query,
      { baseUrl: this.#core.config.baseUrl, url: request.url },
      isResultAnchor,
    );
    requireAcceptable(request, 'application/json; charset=utf-8');
    const { report, columns: columnsOfReader } = await this.#getReport(input);
    const reader = { access, columns: columnsOfReader, asOf: await this.#asOf(input) };
    if (page.anchor !== undefined && !isAnchorOf(accountId, report, page.anchor, reader)) {
      throw invalidParameter('page[after]', violation('report_cursor'));
    }
    const { signal } = abortOnDisconnect(reply.raw);
    const result = await this.#results.readPage({ accountId, report, page, signal, ...reader });
    const columns = result.columns.map(({ key, label, type }) => ({ key, label, type }));
    const { nextCursor, links } = page.locate(result.recordCount, result.nextAnchor);
    return {
      status: 200,
      headers: { vary: 'Accept' },
      records: result.rows.length,
      // Serialized here: the serializer of Fastify would reorder the attributes.
      body: jsonText({
        data: result.rows.map((row) => toRowResource(row, columns)),
        meta: {
          record_count: result.recordCount,
          next_cursor: nextCursor,
          columns,
          ...restrictedMeta(access),
        },
        links,
      }),
    };
  }

  /** @throws {Problem} 400 `invalid_request`, 404 `not_found`, 429 `rate_limit_exceeded`, 503 `service_unavailable` */
  async exportReport(input: Input<'exportReport'>): Promise<Output<'exportReport'>> {
    const readable = { ...(await this.#getReport(input)), asOf: await this.#asOf(input) };
    const headers = {
      // Version 1.0.0 of the contract has it.
      vary: 'Accept',
      'content-disposition': `attachment; filename="report-${readable.report.id}.csv"`,
    };
    // HEAD does not run the report and needs no slot.
    const isHead = input.request.method === 'HEAD';
    const body = isHead ? Readable.from([]) : await this.#download(input, readable);
    return { status: 200, type: 'text/csv', headers, body };
  }

  async listReportColumns({ caller }: Input<'listReportColumns'>): Promise<Output<'listReportColumns'>> {
    const { access } = caller;
    const columns = await this.#columns.read(caller);
    const readable = [...columns.values()].filter(({ key }) => !isRestricted(key, access));
    const data = readable.map(({ key, label, type }) => ({
      id: key,
      type: 'report_columns' as const,
      attributes: { key, label, type },
    }));
    return {
      status: 200,
      body: { data, meta: { record_count: data.length, ...restrictedMeta(access) } },
    };
  }

  /**
   * The report as the caller may run it, and the columns of the caller. Called before the request is queued, so that another one is rejected immediately.
   *
   * @throws {Problem} 400 `invalid_request`, 404 `not_found`
   */
  async #getReport({ caller, params }: Input<'runReport'> | Input<'exportReport'>): Promise<RunnableReport> {
    const report = found(await this.#reports.get(caller.accountId, params.report_id));
    const columns = await this.#columns.readFor(caller, [report]);
    return { report: readableReport(report, { access: caller.access, columns }), columns };
  }

  /** @throws {Problem} 400 `invalid_request` that names the oldest date */
  async #asOf({ caller, query }: Input<'runReport'> | Input<'exportReport'>): Promise<AsOf | undefined> {
    const date = query['filter[as_of]'];
    if (date === undefined) return undefined;
    const found = await this.#results.findAsOf(caller.accountId, date);
    if ('end' in found) return found;
    throw invalidParameter('filter[as_of]', violation('history_date', found));
  }

  /** Waits for the first bytes of the CSV. */
  #download(
    { caller, request, reply }: Input<'exportReport'>,
    { report, columns, asOf }: RunnableReport & { readonly asOf: AsOf | undefined },
  ): Promise<Readable> {
    const { clock, downloads } = this.#core;
    const auditContext = callerContext({ caller, request }, clock());
    const onRows = (count: number) => {
      request.records += count;
    };
    const { access } = caller;
    const make = (signal: AbortSignal) =>
      this.#results.export(auditContext, report, { signal, onRows, access, columns, asOf });
    return downloads.begin({ accountId: caller.accountId, request, reply, make });
  }
}
