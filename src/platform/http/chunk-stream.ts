import { Readable } from 'node:stream';
import { clientDisconnected } from './disconnect.js';

/** Bytes of a write to the connection. The throughput of the client is measured in these steps. */
const pieceBytes = 32 * 1024;

interface ChunkStreamOptions {
  /** Ends the stream. A reason other than {@link clientDisconnected} is an error of the stream. */
  readonly signal: AbortSignal;
  /** Produces the chunks until its signal aborts. */
  readonly make: (signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>;
  /** Called immediately when the stream fails, before the producer has finished. */
  readonly onError: () => void;
}

/** A response body that is produced while it is sent, no faster than the client reads it. */
export class ChunkStream extends Readable {
  readonly #chunks: AsyncGenerator<Buffer, void, undefined>;
  readonly #work: AbortController;
  readonly #onError: () => void;
  #first: IteratorResult<Buffer, void> | undefined;

  private constructor(
    chunks: AsyncGenerator<Buffer, void, undefined>,
    {
      work,
      first,
      onError,
    }: { work: AbortController; first: IteratorResult<Buffer, void>; onError: () => void },
  ) {
    super();
    this.#chunks = chunks;
    this.#work = work;
    this.#first = first;
    this.#onError = onError;
  }

  /**
   * Starts the producer and waits for its first chunk.
   *
   * @throws an error before the first chunk, or the reason of the signal; the response can then still be a problem document
   */
  static async begin({ signal, make, onError }: ChunkStreamOptions): Promise<ChunkStream> {
    const work = new AbortController();
    if (signal.aborted) work.abort();
    signal.addEventListener('abort', () => work.abort(), { once: true });
    const chunks = make(work.signal);
    const first = await chunks.next().catch((error: unknown) => {
      throw signal.aborted ? signal.reason : error;
    });
    if (signal.aborted) {
      await chunks.return();
      throw signal.reason;
    }
    const stream = new ChunkStream(chunks, { work, first, onError });
    const end = () => stream.destroy(signal.reason === clientDisconnected ? undefined : signal.reason);
    signal.addEventListener('abort', end, { once: true });
    return stream;
  }

  override _read(): void {
    this.#next().then(
      ({ done, value }) => (done === true ? this.push(null) : this.#pushPieces(value)),
      (error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    if (error !== null) this.#onError();
    this.#work.abort();
    this.#chunks.return().then(
      () => callback(error),
      (failure) => callback(error ?? failure),
    );
  }

  #pushPieces(chunk: Buffer): void {
    let start = 0;
    do {
      this.push(chunk.subarray(start, start + pieceBytes));
      start += pieceBytes;
    } while (start < chunk.length);
  }

  async #next(): Promise<IteratorResult<Buffer, void>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#chunks.next();
  }
}
