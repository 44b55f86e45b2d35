import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccountId } from '../accounts/account-id.js';
import type { ReportConcurrency, ReportLimits } from '../limits/report-concurrency.js';
import { Problem } from '../problems/problem.js';
import { abortOnDisconnect, clientDisconnected } from './disconnect.js';

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

interface DownloadOptions {
  readonly limits: ReportLimits;
  /** Aborts incomplete downloads when the process stops. */
  readonly cutOff: AbortSignal;
}

/**
 * Watches a streamed response and aborts it when the client disconnects, reads too slowly or is idle, after the maximum
 * duration, or when the process stops.
 *
 * @returns signal that aborts the download
 */
function watchDownload(
  socket: Socket,
  response: ServerResponse,
  { limits, cutOff }: DownloadOptions,
): AbortSignal {
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

interface CsvDownload {
  readonly accountId: AccountId;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  /** Produces the table until the signal aborts. */
  readonly make: (signal: AbortSignal) => Chunks;
}

type Chunks = AsyncGenerator<Buffer, void, undefined>;

/** CSV downloads, with concurrency limits, a minimum speed and a maximum duration. */
export class CsvDownloads {
  readonly #slots: ReportConcurrency;
  readonly #options: DownloadOptions;

  constructor(slots: ReportConcurrency, options: DownloadOptions) {
    this.#slots = slots;
    this.#options = options;
  }

  /**
   * Starts a table and waits for its first bytes.
   *
   * @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable`
   */
  async begin({ accountId, request, reply: { raw: response }, make }: CsvDownload): Promise<Readable> {
    const signal = watchDownload(request.raw.socket, response, this.#options);
    const release = await this.#slots.forDownload(accountId, signal);
    return streamChunks(holding(release, make(signal)), { signal, response });
  }
}

/** Releases a slot after the last chunk or when the download is aborted. */
async function* holding(release: () => void, chunks: Chunks): Chunks {
  try {
    yield* chunks;
  } finally {
    release();
  }
}

/** Bytes of a write to the connection. The throughput of the client is measured in these steps. */
const pieceBytes = 32 * 1024;

/**
 * A response body that is produced while it is sent, no faster than the client reads it. Waits for the first chunk.
 *
 * @throws an error before the first chunk, or the reason of the signal; the response can then still be a problem document
 */
async function streamChunks(
  chunks: Chunks,
  { signal, response }: { signal: AbortSignal; response: ServerResponse },
): Promise<Readable> {
  let first: IteratorResult<Buffer, void> | undefined = await chunks.next().catch((error: unknown) => {
    throw signal.aborted ? signal.reason : error;
  });
  if (signal.aborted) {
    await chunks.return();
    throw signal.reason;
  }
  const body = new Readable({
    read() {
      const next = first === undefined ? chunks.next() : Promise.resolve(first);
      first = undefined;
      next.then(
        ({ done, value }) => (done === true ? this.push(null) : pushPieces(this, value)),
        (error) => this.destroy(error),
      );
    },
    destroy(error, callback) {
      if (error !== null) resetConnection(response);
      chunks.return().then(
        () => callback(error),
        (failure) => callback(error ?? failure),
      );
    },
  });
  const end = () => body.destroy(signal.reason === clientDisconnected ? undefined : signal.reason);
  signal.addEventListener('abort', end, { once: true });
  return body;
}

function pushPieces(stream: Readable, chunk: Buffer): void {
  let start = 0;
  do {
    stream.push(chunk.subarray(start, start + pieceBytes));
    start += pieceBytes;
  } while (start < chunk.length);
}
