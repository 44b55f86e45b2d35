import type { Clock } from '../../platform/clock.js';
import { auditOrigin } from '../../platform/http/audit-origin.js';
import type { Input } from '../../platform/http/binding/handlers.js';
import type { ChunkStream } from '../../platform/http/chunk-stream.js';
import type { CsvDownloads } from '../../platform/http/csv-downloads.js';
import type { Report } from './report.js';
import type { ReportExports } from './results/report-exports.js';

export interface ReportDownloadOptions {
  readonly clock: Clock;
  readonly exports: ReportExports;
  readonly downloads: CsvDownloads;
}

/** CSV downloads of results. */
export class ReportDownloads {
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
