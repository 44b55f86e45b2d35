import { PGlite } from '@electric-sql/pglite';
import { DatabaseStoppedError, describeError } from '../database-errors.js';

/** How the server leaves a statement that has failed, as usual: by PGlite's own convention. */
const statementFailed = 100;

/**
 * How much of its log the server keeps to use its files again, by default a gigabyte, and how much of the tables it keeps in
 * memory: it fills all of it at the start, and by default that is 128 MB.
 */
const settings = ['max_wal_size=64MB', 'min_wal_size=32MB', 'shared_buffers=16MB'];

/**
 * PostgreSQL inside this process. Where it cannot go on, such as when its log finds no room on the disk, it would end
 * its process to recover in a new one. Its WebAssembly build cannot; left alone it runs on with what it was about to
 * do half done, or for ever in circles. This one runs no statement after that.
 */
export class EmbeddedServer extends PGlite {
  /** Settles when the database has stopped by itself, for good; what was committed is found when it is opened again. */
  readonly stopped: Promise<DatabaseStoppedError>;
  readonly #lastWords: () => string | undefined;
  #announce: (failure: DatabaseStoppedError) => void = () => {};
  #failure: DatabaseStoppedError | undefined;
  #watched = false;

  /** Begins to open a directory, which is done when {@link PGlite.waitReady} is. */
  constructor(directory: string) {
    let lastWords: string | undefined;
    super({
      dataDir: directory,
      startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
      onStderr: (line) => {
        lastWords = /(?:PANIC|FATAL): +(.*)/.exec(line)?.[1] ?? lastWords;
        return true;
      },
    });
    this.#lastWords = () => lastWords;
    this.stopped = new Promise((resolve) => {
      this.#announce = resolve;
    });
  }

  /** What PostgreSQL has said about why it cannot go on, or else the error. */
  reasonOf(error: unknown): string {
    return this.#lastWords() ?? (isDiskFull(error) ? 'No space left on device' : describeError(error));
  }

  /** @throws {DatabaseStoppedError} */
  override execProtocolRawSync(message: Uint8Array): Uint8Array {
    if (this.#failure !== undefined) throw this.#failure;
    this.#watch();
    try {
      return super.execProtocolRawSync(message);
    } catch (error) {
      throw this.#stop(error);
    }
  }

  override async close(): Promise<void> {
    // Closing writes as well, and what is in memory now is not to be written.
    if (this.#failure === undefined) await super.close();
  }

  #watch(): void {
    if (this.#watched) return;
    this.#watched = true;
    const server = this.Module;
    const run = server._PostgresMainLoopOnce;
    server._PostgresMainLoopOnce = () => {
      try {
        run();
      } catch (error) {
        if ((error as { status?: unknown }).status !== statementFailed) this.#stop(error);
        throw error;
      }
    };
  }

  #stop(cause: unknown): DatabaseStoppedError {
    if (this.#failure !== undefined) return this.#failure;
    const reason = this.reasonOf(cause);
    const failure = new DatabaseStoppedError(`DATA_DIR: the embedded database has stopped: ${reason}`);
    this.#failure = failure;
    const refuse = () => {
      throw failure;
    };
    // What the loop over the statements of a message calls when one of them has thrown: it would go on with the next.
    const afterwards = {
      stackRestore: refuse,
      _PostgresSendReadyForQueryIfNecessary: refuse,
      _pgl_pq_flush: refuse,
    };
    Object.assign(this.Module, afterwards);
    this.#announce(failure);
    return failure;
  }
}

/** Errors of the file system that PostgreSQL sees are numbers, before it runs and could name them. */
function isDiskFull(error: unknown): boolean {
  return (error as { errno?: unknown }).errno === 51;
}
