import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountId } from '../accounts/account-id.js';
import { ChunkStream } from './chunk-stream.js';
import { resetConnection, watchDownload } from './download.js';
import type { ReportConcurrency } from './report-concurrency.js';
import type { ReportLimits } from './report-limits.js';

interface CsvDownloadOptions {
  readonly limits: ReportLimits;
  /** Aborts incomplete downloads when the process stops. */
  readonly cutOff: AbortSignal;
}

interface CsvDownload {
  readonly accountId: AccountId;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Produces the table until the signal aborts. */
  readonly make: (signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>;
}

/** CSV downloads, with concurrency limits, a minimum speed and a maximum duration. */
export class CsvDownloads {
  readonly #slots: ReportConcurrency;
  readonly #options: CsvDownloadOptions;

  constructor(slots: ReportConcurrency, options: CsvDownloadOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /**
   * Starts a table and waits for its first bytes.
   *
   * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
   */
  async begin({ accountId, request, reply: { raw: response }, make }: CsvDownload): Promise<ChunkStream> {
    const { limits, cutOff } = this.#options;
    const signal = watchDownload({ socket: request.raw.socket, response, limits, cutOff });
    const release = await this.#slots.forDownload(accountId, signal);
    return ChunkStream.begin({
      signal,
      make: (ended) => holding(release, make(ended)),
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
