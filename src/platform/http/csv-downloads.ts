import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountId } from '../accounts/account-id.js';
import type { ReportConcurrency, ReportLimits } from '../limits/report-concurrency.js';
import { Problem } from '../problems/problem.js';
import { ChunkStream } from './chunk-stream.js';
import { abortOnDisconnect } from './disconnect.js';

/** Checks in a period. */
const checksPerPeriod = 12;

/**
 * Checks that a client reads a minimum number of bytes in each period in which bytes are waiting for it. Bytes count as read
 * when the kernel has accepted them; its buffers hold at most a few megabytes.
 *
 * @returns stops the checks
 */
function watchThroughput(
  socket: Socket,
  { minimumBytes, periodMs }: { minimumBytes: number; periodMs: number },
  onTooSlow: () => void,
): () => void {
  let acceptedBefore = acceptedBytes(socket);
  // Counts checks instead of time: while the process is busy the client cannot read.
  let checks = 0;
  const timer = setInterval(() => {
    const accepted = acceptedBytes(socket);
    // While nothing is waiting, the database is slow and not the client.
    const isWaiting = socket.writableLength > 0;
    if (!isWaiting || accepted - acceptedBefore >= minimumBytes) {
      acceptedBefore = accepted;
      checks = 0;
      return;
    }
    checks += 1;
    if (checks >= checksPerPeriod) onTooSlow();
  }, periodMs / checksPerPeriod);
  timer.unref();
  return () => clearInterval(timer);
}

/** `bytesWritten` includes bytes that are buffered in the process. */
function acceptedBytes({ bytesWritten, writableLength }: Socket): number {
  return bytesWritten - writableLength;
}

type DownloadLimits = Pick<ReportLimits, 'minimumBytes' | 'throughputPeriodMs' | 'downloadMs'>;

interface DownloadOptions {
  readonly socket: Socket;
  readonly response: ServerResponse;
  readonly limits: DownloadLimits;
  /** Aborts when the process stops. */
  readonly cutOff: AbortSignal;
}

/**
 * Watches a streamed response and aborts it when the client disconnects, reads too slowly or is idle, after the maximum
 * duration, or when the process stops.
 *
 * @returns signal that aborts the download
 */
function watchDownload({ socket, response, limits, cutOff }: DownloadOptions): AbortSignal {
  const { minimumBytes, throughputPeriodMs: periodMs, downloadMs } = limits;
  const controller = abortOnDisconnect(response);
  if (controller.signal.aborted) return controller.signal;
  const cut = (detail: string) => {
    controller.abort(new Problem('service_unavailable', detail, { retryAfterSeconds: 5 }));
    if (response.headersSent) resetConnection(response);
  };
  const stopWatch = watchThroughput(socket, { minimumBytes, periodMs }, () =>
    cut('The client reads the download too slowly.'),
  );
  const deadline = setTimeout(() => cut('The download exceeded its maximum duration.'), downloadMs);
  deadline.unref();
  const onStop = () => cut('The process is stopping.');
  cutOff.addEventListener('abort', onStop);
  // Without a listener Node.js would close an idle connection instead of resetting it.
  response.once('timeout', () => cut('The connection was idle for too long.'));
  response.once('close', () => {
    stopWatch();
    clearTimeout(deadline);
    cutOff.removeEventListener('abort', onStop);
  });
  return controller.signal;
}

/**
 * Resets the connection of an incomplete response. With HTTP/1.0 the end of the connection is the end of the body, so a
 * client would mistake an incomplete result for the complete one if the connection was closed. A response that is queued
 * behind another one has no connection yet.
 */
function resetConnection({ socket }: Pick<ServerResponse, 'socket'>): void {
  // The socket of an injected request is not a network socket.
  (socket as Partial<Pick<Socket, 'resetAndDestroy'>> | null)?.resetAndDestroy?.();
}

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
