import { PGlite, types } from '@electric-sql/pglite';
import { DatabaseStoppedError, describeError } from '../database-errors.js';

/** Exit status with which PGlite reports a failed statement; after it the server continues. */
const statementFailed = 100;

/**
 * Settings of PostgreSQL. By default it retains a gigabyte of the write-ahead log, and fills 128 MB of shared buffers at the
 * start.
 */
const settings = ['max_wal_size=64MB', 'min_wal_size=32MB', 'shared_buffers=16MB'];

/** The array types that queries return: of boolean, integer, text, bigint and double precision. */
const arrayTypes = [1000, 1007, 1009, 1016, 1022];

/** PGlite's own function needs a second of processor time for a file of 5 MB. */
function serializeBytes(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`;
}

/**
 * PostgreSQL inside this process. After a fatal error, such as a full disk, PostgreSQL exits and recovers in a new process.
 * The WebAssembly build cannot exit: it would continue with inconsistent state or loop. This class runs no statement after a
 * fatal error. The public `onStderr` reports the message of the error, but cannot prevent the next statement; so the functions of
 * the module are replaced.
 */
export class EmbeddedServer extends PGlite {
  /** Resolves after a fatal error. Committed data is recovered when the database is opened again. */
  readonly stopped: Promise<DatabaseStoppedError>;
  readonly #fatalMessage: () => string | undefined;
  #resolveStopped: (failure: DatabaseStoppedError) => void = () => {};
  #failure: DatabaseStoppedError | undefined;
  #watched = false;

  /** Starts to open a directory; {@link open} resolves when it is open. */
  constructor(directory: string) {
    let fatalMessage: string | undefined;
    super({
      dataDir: directory,
      serializers: { [types.BYTEA]: serializeBytes },
      startParams: [...PGlite.defaultStartParams, ...settings.flatMap((setting) => ['-c', setting])],
      onStderr: (line) => {
        fatalMessage = /(?:PANIC|FATAL): +(.*)/.exec(line)?.[1] ?? fatalMessage;
        return true;
      },
    });
    this.#fatalMessage = () => fatalMessage;
    this.stopped = new Promise((resolve) => {
      this.#resolveStopped = resolve;
    });
  }

  /**
   * Resolves when the directory is open.
   *
   * @throws the error of PGlite when it cannot be opened
   */
  async open(): Promise<void> {
    await this.waitReady;
    // PGlite has a parser for each array type of the catalogue, 350 with those of the tables, and copies all of them for each
    // statement of the adapter, which has parsers of its own. For a short statement that takes half of the time.
    const used = new Set([...Object.keys(types.parsers), ...arrayTypes.map(String)]);
    this.parsers = Object.fromEntries(Object.entries(this.parsers).filter(([type]) => used.has(type)));
  }

  /** The fatal message of PostgreSQL, or else a description of the error. */
  reasonOf(error: unknown): string {
    return this.#fatalMessage() ?? (isDiskFull(error) ? 'No space left on device' : describeError(error));
  }

  /** @throws {DatabaseStoppedError} after a fatal error */
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
    // Closing would write the inconsistent state in memory.
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
    const throwFailure = () => {
      throw failure;
    };
    // PGlite calls these functions after a failed statement, before it runs the next one of the same message.
    const afterwards = {
      stackRestore: throwFailure,
      _PostgresSendReadyForQueryIfNecessary: throwFailure,
      _pgl_pq_flush: throwFailure,
    };
    Object.assign(this.Module, afterwards);
    this.#resolveStopped(failure);
    return failure;
  }
}

/** Whether a file system error means a full disk. Before PostgreSQL runs, such errors have only a number. */
function isDiskFull(error: unknown): boolean {
  return (error as { errno?: unknown }).errno === 51;
}
