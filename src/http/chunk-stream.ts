import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';

/**
 * A body that is made while it is sent. Nothing is made ahead of what the client takes, and when the client goes
 * away the making ends at once.
 */
export class ChunkStream extends Readable {
  readonly #chunks: AsyncGenerator<Buffer, void, undefined>;
  readonly #abort: AbortController;
  #first: IteratorResult<Buffer, void> | undefined;

  private constructor(
    chunks: AsyncGenerator<Buffer, void, undefined>,
    abort: AbortController,
    first: IteratorResult<Buffer, void>,
  ) {
    super();
    this.#chunks = chunks;
    this.#abort = abort;
    this.#first = first;
  }

  /**
   * Begins to make a body. What goes wrong before the first chunk is there is thrown, and can still be answered
   * with a problem; what goes wrong later destroys the stream, and the connection with it.
   *
   * @param response tells by `close` that the client is gone; it may have been gone before
   */
  static async begin(
    response: Pick<ServerResponse, 'once' | 'destroyed'>,
    make: (signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>,
  ): Promise<ChunkStream> {
    const abort = new AbortController();
    if (response.destroyed) abort.abort();
    response.once('close', () => abort.abort());
    const chunks = make(abort.signal);
    const first = await chunks.next().catch((error) => {
      // Nobody is left to be told.
      if (abort.signal.aborted) return { done: true as const, value: undefined };
      throw error;
    });
    return new ChunkStream(chunks, abort, first);
  }

  override _read(): void {
    this.#next().then(
      ({ done, value }) => this.push(done === true ? null : value),
      (error) => this.destroy(error),
    );
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#abort.abort();
    this.#chunks.return().then(
      () => callback(error),
      (failure) => callback(error ?? failure),
    );
  }

  async #next(): Promise<IteratorResult<Buffer, void>> {
    const first = this.#first;
    this.#first = undefined;
    return first ?? this.#chunks.next();
  }
}
