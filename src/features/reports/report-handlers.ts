import { challenge } from '../../oauth/authentication.js';
import { invalidToken } from '../../oauth/tokens/access-tokens.js';
import type { Clock } from '../../platform/clock.js';
import type { components } from '../../platform/contract/generated.js';
import {
  type Handlers,
  type Input,
  type JsonText,
  jsonText,
  type Output,
} from '../../platform/http/binding/handlers.js';
import { etagOf, isKnownToClient, readIfMatch } from '../../platform/http/etag.js';
import { PageRequest, parseSort } from '../../platform/http/pagination.js';
import { callerContext } from '../../platform/http/principal.js';
import { idempotencyProblem } from '../../platform/idempotency/idempotency-problems.js';
import { invalidMembers } from '../../platform/problems/invalid-request.js';
import { found, Problem, recordNotFound } from '../../platform/problems/problem.js';
import type { Measure } from './measures.js';
import type { Report, ReportChanges, ReportFilter } from './report.js';
import type { ColumnKey, GroupKey } from './report-columns.js';
import { isReportAnchor, type ReportAnchor, type ReportSortKey } from './report-list.js';
import type { CreatedReport, Reports } from './reports.js';

/** Attributes that reports can be sorted by, and their properties. */
const reportSortKeys: Readonly<Record<string, ReportSortKey>> = {
  title: 'title',
  created_at: 'createdAt',
  updated_at: 'updatedAt',
};

type Schemas = components['schemas'];

/** A report as a resource of the contract. */
function toResource(report: Report): Schemas['Report'] {
  return {
    id: report.id,
    type: 'reports',
    attributes: {
      title: report.title,
      description: report.description,
      columns: [...report.columns],
      filters: report.filters.map(toFilterDocument),
      sort: [...report.sort],
      group_by: [...report.groupBy],
      measures: report.measures.map(({ function: name, field }) => ({ function: name, field })),
      created_at: report.createdAt.toISOString(),
      updated_at: report.updatedAt.toISOString(),
    },
  };
}

function toFilterDocument(filter: ReportFilter): Schemas['ReportFilter'] {
  const { field } = filter;
  switch (filter.operator) {
    case 'in':
    case 'not_in':
      return { field, operator: filter.operator, value: [...filter.value] };
    case 'empty':
    case 'not_empty':
      return { field, operator: filter.operator };
    default:
      return { field, operator: filter.operator, value: filter.value };
  }
}

/** Changes of a report in a request body. */
export function toChanges(
  body: Schemas['ReportCreateRequest'] | Schemas['ReportUpdateRequest'],
): ReportChanges {
  const { title, description, filters, sort, measures } = body;
  return {
    title,
    description,
    columns: keysOf<ColumnKey>(body.columns),
    filters,
    sort,
    groupBy: keysOf<GroupKey>(body.group_by),
    measures: measures as readonly Measure[] | undefined,
  };
}

/** Items of arrays that must be empty have the type `''`. */
function keysOf<Key extends GroupKey>(
  keys: readonly Key[] | readonly ''[] | undefined,
): readonly Key[] | undefined {
  return keys as readonly Key[] | undefined;
}

type ReportDocument = Schemas['ReportDocument'];
type ReportOperation = 'listReports' | 'createReport' | 'getReport' | 'updateReport' | 'deleteReport';

/** Handlers for saved reports. Their results are in `ReportResultHandlers`. */
export class ReportHandlers implements Pick<Handlers, ReportOperation> {
  readonly #reports: Reports;
  readonly #baseUrl: string;
  readonly #clock: Clock;

  constructor(reports: Reports, { baseUrl, clock }: { baseUrl: string; clock: Clock }) {
    this.#reports = reports;
    this.#baseUrl = baseUrl;
    this.#clock = clock;
  }

  async listReports({ caller, query, request }: Input<'listReports'>): Promise<Output<'listReports'>> {
    const sort = parseSort(query.sort, reportSortKeys);
    const location = { baseUrl: this.#baseUrl, url: request.url };
    const page = new PageRequest<ReportAnchor>(query, location, (value) => isReportAnchor(value, sort));
    const { reports, recordCount, nextAnchor } = await this.#reports.list(caller.accountId, {
      sort,
      size: page.size,
      from: page.from,
    });
    const { nextCursor, links } = page.locate(recordCount, nextAnchor);
    return {
      status: 200,
      records: reports.length,
      body: {
        data: reports.map(toResource),
        meta: { record_count: recordCount, next_cursor: nextCursor },
        links,
      },
    };
  }

  /**
   * @throws {Problem} 400 `invalid_request`, 401 `invalid_token` when the application was deleted,
   *   409 `idempotency_key_in_use` or `quota_exceeded`, 422 `idempotency_key_reused`, 429 `rate_limit_exceeded`
   */
  async createReport({ caller, body, request }: Input<'createReport'>): Promise<Output<'createReport'>> {
    const key = request.headers['idempotency-key'];
    const created = await this.#reports.create(callerContext({ caller, request }, this.#clock()), {
      access: caller.access,
      content: { ...toChanges(body), title: body.title },
      idempotency: typeof key === 'string' ? { key, operation: 'createReport', payload: body } : undefined,
      describe: (report) => ({
        status: 201,
        headers: {
          location: `${this.#baseUrl}/v1/reports/${report.id}`,
          etag: etagOf(report),
        },
        body: jsonText<ReportDocument>({ data: toResource(report) }),
      }),
    });
    const { headers, body: text } = responseOf(created);
    return { status: 201, records: 1, headers: { ...headers }, body: text as JsonText<ReportDocument> };
  }

  /** @throws {Problem} 404 `not_found` */
  async getReport({ caller, params, request }: Input<'getReport'>): Promise<Output<'getReport'>> {
    const report = found(await this.#reports.get(caller.accountId, params.report_id));
    if (isKnownToClient(request.headers['if-none-match'], report)) {
      return { status: 304, headers: { etag: etagOf(report) } };
    }
    return this.#show(report);
  }

  /** @throws {Problem} 400 `invalid_request`, 404 `not_found`, 412 `precondition_failed` */
  async updateReport(input: Input<'updateReport'>): Promise<Output<'updateReport'>> {
    const { body, caller, params, request } = input;
    const outcome = await this.#reports.update(callerContext(input, this.#clock()), {
      id: params.report_id,
      changes: toChanges(body),
      access: caller.access,
      isExpected: readIfMatch(request.headers['if-match']),
    });
    switch (outcome.kind) {
      case 'updated':
        return this.#show(outcome.report);
      case 'not_found':
        throw recordNotFound();
      case 'conflict':
        throw changedMeanwhile();
      case 'invalid':
        throw invalidMembers(outcome.errors);
    }
  }

  /** @throws {Problem} 404 `not_found`, 412 `precondition_failed` */
  async deleteReport(input: Input<'deleteReport'>): Promise<Output<'deleteReport'>> {
    const { params, request } = input;
    const outcome = await this.#reports.delete(callerContext(input, this.#clock()), {
      id: params.report_id,
      isExpected: readIfMatch(request.headers['if-match']),
    });
    if (outcome === 'not_found') throw recordNotFound();
    if (outcome === 'conflict') throw changedMeanwhile();
    return { status: 204 };
  }

  #show(report: Report) {
    return {
      status: 200 as const,
      records: 1,
      headers: { etag: etagOf(report) },
      body: { data: toResource(report) },
    };
  }
}

function responseOf(created: CreatedReport) {
  switch (created.kind) {
    case 'completed':
      return created.response;
    case 'invalid':
      throw invalidMembers(created.errors);
    case 'limit_reached':
      throw new Problem(
        'quota_exceeded',
        `The account has reached its limit of ${created.limit} saved reports. Delete a report before you create one.`,
      );
    case 'application_deleted':
      throw challenge(invalidToken());
    default:
      throw idempotencyProblem(created);
  }
}

function changedMeanwhile(): Problem {
  return new Problem(
    'precondition_failed',
    'The report has changed since you read it. Read it again, then repeat the change with its new ETag.',
  );
}
