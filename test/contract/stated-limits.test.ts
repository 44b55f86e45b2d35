import { maxHeaderSize } from 'node:http';
import { readConfig } from '../../src/platform/config/config.js';
import { defaultReportStatementTimeoutMs } from '../../src/platform/database/postgresql/postgresql.js';
import { bodyLimitBytes } from '../../src/platform/http/connections.js';
import { maximumPairs } from '../../src/platform/http/form-parser.js';
import { defaultPageSize, maximumPageSize } from '../../src/platform/http/pagination.js';
import { defaultRequestQueueLimits } from '../../src/platform/http/request-queue.js';
import { waitMs } from '../../src/platform/idempotency/idempotency.js';
import { retentionMs } from '../../src/platform/idempotency/key-claim.js';
import { defaultReportLimits } from '../../src/platform/limits/report-concurrency.js';
import { contract } from '../support/server/app.js';
import t from '../support/tap.js';

type Parameter = { readonly schema: { readonly maximum?: number } };

const defaults = readConfig({});
const reports = defaultReportLimits;

t.test(
  'a page has at most as many records as the schemas of page[size] and of the lists allow',
  async (t) => {
    const { PageSize } = (
      contract.document as unknown as { components: { parameters: Record<string, Parameter> } }
    ).components.parameters;
    t.equal(PageSize?.schema.maximum, maximumPageSize);
    const { EmployeeList, ReportList, ReportRowList } = contract.document.components.schemas;
    for (const list of [EmployeeList, ReportList, ReportRowList])
      t.equal(list?.properties?.data?.maxItems, maximumPageSize);
  },
);

t.test('the limits in the contract are those of the server', async (t) => {
  t.same(contract.document['x-limits'], {
    access_token_seconds: defaults.accessTokenTtlSeconds,
    refresh_token_seconds: defaults.refreshTokenTtlSeconds,
    authorization_code_seconds: defaults.authorizationCodeTtlSeconds,
    request_body_bytes: bodyLimitBytes,
    address_and_header_bytes: maxHeaderSize,
    form_pairs: maximumPairs,
    page_size_default: defaultPageSize,
    page_size_maximum: maximumPageSize,
    requests_per_minute: defaults.rateLimitApi,
    token_requests_per_minute: defaults.rateLimitToken,
    queue_seconds: defaultRequestQueueLimits.waitMs / 1000,
    reports_per_account: defaults.maxReportsPerAccount,
    idempotency_keys_per_day: defaults.maxIdempotencyKeys,
    idempotency_key_seconds: retentionMs / 1000,
    idempotency_wait_seconds: waitMs / 1000,
    report_runs_per_account: reports.runsPerAccount,
    report_run_seconds: defaultReportStatementTimeoutMs / 1000,
    report_queue_seconds: reports.queueMs / 1000,
    exports_per_account: reports.downloadsPerAccount,
    exports_per_process: reports.downloadsPerProcess,
    export_seconds: reports.downloadMs / 1000,
    export_bytes_per_minute: (reports.minimumBytes * 60_000) / reports.throughputPeriodMs,
    deprecation_notice_days: 365,
  });
});
