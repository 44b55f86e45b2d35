import type { Clock } from '../../clock.js';
import type { Report } from '../../services/reports/report.js';
import type { ReportExports } from '../../services/reports/results/report-exports.js';
import { auditOrigin } from '../audit-origin.js';
import type { Input } from '../binding/handlers.js';
import type { ChunkStream } from '../chunk-stream.js';
import type { CsvDownloads } from '../csv-downloads.js';

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
