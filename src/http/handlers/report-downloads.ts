import type { Clock } from '../../clock.js';
import type { Report } from '../../services/reports/report.js';
import type { ReportExports } from '../../services/reports/results/report-exports.js';
import { auditOrigin } from '../audit-origin.js';
import type { Input } from '../binding/handlers.js';
import { ChunkStream } from '../chunk-stream.js';
import { resetConnection, watchDownload } from '../download.js';
import type { ReportConcurrency } from '../report-concurrency.js';
import type { ReportLimits } from '../report-limits.js';

export interface ReportDownloadOptions {
  readonly clock: Clock;
  readonly exports: ReportExports;
  readonly limits: ReportLimits;
  /** Aborts incomplete downloads when the process stops. */
  readonly cutOff: AbortSignal;
}

/** CSV downloads of results, with concurrency limits. */
export class ReportDownloads {
  readonly #slots: ReportConcurrency;
  readonly #options: ReportDownloadOptions;

  constructor(slots: ReportConcurrency, options: ReportDownloadOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /**
   * Runs a report and waits for the first bytes of the CSV.
   *
   * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
   */
  async begin(
    {
      caller: { accountId, applicationId, userId },
      request,
      reply: { raw: response },
    }: Input<'exportReport'>,
    report: Report,
  ): Promise<ChunkStream> {
    const { clock, exports, limits, cutOff } = this.#options;
    const signal = watchDownload({ socket: request.raw.socket, response, limits, cutOff });
    const release = await this.#slots.forDownload(accountId, signal);
    const auditContext = { accountId, applicationId, userId, origin: auditOrigin(request), at: clock() };
    const onRows = (count: number) => {
      request.records += count;
    };
    return ChunkStream.begin({
      signal,
      make: (ended) => holding(release, exports.stream(auditContext, report, { signal: ended, onRows })),
      onError: () => resetConnection(response),
    });
  }
}

/** Releases a slot after the last chunk or when the download is aborted. */
async function* holding(
  release: () => void,
  chunks: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* chunks;
  } finally {
    release();
  }
}
