import { setMaxListeners } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../logger.js';
import type { Database, PreparedStatement } from '../client.js';
import { describeError } from '../database-errors.js';
import { noAccount } from '../scope.js';
import { type LogPosition, logStart, toLogPosition } from './write-positions.js';

/** Milliseconds between two checks of a standby, and before a lost one is tried again. */
const checkIntervalMs = 250;
/** A standby that does not respond to a check within these milliseconds is lost. */
const checkTimeoutMs = 1_000;
/** Milliseconds between two checks while a read waits for a position. */
const waitIntervalMs = 5;

/** The replay position of the server, and its cluster. A promoted standby reports its write position. */
const replayed: PreparedStatement = {
  name: 'standby_position',
  text: `
    SELECT (CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END)::text AS position,
      (SELECT system_identifier::text FROM pg_control_system()) AS cluster`,
};

/** The standby was lost during a read, or has restarted. */
export class StandbyLostError extends Error {
  override readonly name = 'StandbyLostError';
}

interface StandbyOptions {
  /** Number of the standby in the log. */
  readonly number: number;
  /** Opens it; it calls the function whenever a connection is lost. */
  readonly open: (onConnectionLost: () => void) => Promise<Database>;
  /** The end of the log of the primary when the process started, and the cluster that it belongs to. */
  readonly primary: ServerPosition;
  readonly logger: Logger | undefined;
}

interface ServerPosition {
  readonly position: LogPosition;
  readonly cluster: string;
}

/** Reads the position of a server. */
export async function readServerPosition(database: Pick<Database, 'runPrepared'>): Promise<ServerPosition> {
  const [row] = await database.runPrepared<{ position: string | null; cluster: string }>(
    replayed,
    [],
    noAccount,
  );
  return { position: toLogPosition(row?.position), cluster: row?.cluster ?? '' };
}

/**
 * A standby. It is checked in the background, and used only while it responds. A restarted standby may be behind its earlier
 * replay position, so a lost connection resets it.
 */
export class Standby {
  readonly #options: StandbyOptions;
  readonly #closing = new AbortController();
  readonly #done: Promise<void>;
  #database: Database | undefined;
  #position = logStart;
  #check: Promise<LogPosition> | undefined;
  /** Aborted when the standby is lost. Absent while it cannot be used. */
  #use: AbortController | undefined;

  constructor(options: StandbyOptions) {
    this.#options = options;
    this.#done = this.#watch();
  }

  get isUsable(): boolean {
    return this.#use !== undefined;
  }

  /** The last known position, which the standby has reached. */
  get position(): LogPosition {
    return this.#position;
  }

  /** Waits until the standby has replayed the log up to a position. Resolves to `false` when it is lost or time is over. */
  async reaches(position: LogPosition, withinMs: number): Promise<boolean> {
    const deadline = performance.now() + withinMs;
    while (this.isUsable && this.#position < position) {
      const rest = deadline - performance.now();
      if (rest <= 0) return false;
      const isReached = await this.#update(rest).then(
        (reached) => reached >= position,
        () => false,
      );
      if (!isReached) await wait(waitIntervalMs);
    }
    return this.isUsable;
  }

  /**
   * Runs a read.
   *
   * @param work gets a signal that aborts when the standby is lost
   * @throws {StandbyLostError} when it is lost before the read has ended
   */
  async run<Result>(work: (database: Database, lost: AbortSignal) => Promise<Result>): Promise<Result> {
    const [database, use] = [this.#database, this.#use];
    if (database === undefined || use === undefined) throw new StandbyLostError();
    let onLost = () => {};
    const lost = new Promise<never>((_resolve, reject) => {
      onLost = () => reject(use.signal.reason);
      use.signal.addEventListener('abort', onLost, { once: true });
    });
    try {
      return await Promise.race([work(database, use.signal), lost]);
    } finally {
      use.signal.removeEventListener('abort', onLost);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#done;
    this.#use?.abort(new StandbyLostError('the process stops'));
    this.#use = undefined;
    await this.#database?.close();
  }

  async #watch(): Promise<void> {
    const { signal } = this.#closing;
    while (!signal.aborted) {
      try {
        this.#database ??= await this.#open();
        await this.#update(checkTimeoutMs);
        if (this.#use === undefined && this.#position >= this.#options.primary.position) await this.#start();
      } catch (error) {
        this.#markUnavailable(describeError(error));
      }
      await wait(checkIntervalMs, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #open(): Promise<Database> {
    const database = await this.#options.open(() => this.#markUnavailable('a connection was lost'));
    try {
      const { cluster } = await readServerPosition(database);
      if (cluster !== this.#options.primary.cluster)
        throw new Error('REPLICA_DATABASE_URLS: this server is not a standby of DATABASE_URL');
      return database;
    } catch (error) {
      await database.close();
      throw error;
    }
  }

  /** Starts to use the standby. It has the tables and roles of the migrations by now. */
  async #start(): Promise<void> {
    await this.#database?.checkIsolation();
    this.#use = new AbortController();
    // Each running read has a listener.
    setMaxListeners(0, this.#use.signal);
    this.#options.logger?.info({ standby: this.#options.number }, 'reading from a standby');
  }

  #markUnavailable(reason: string): void {
    this.#position = logStart;
    if (this.#use === undefined) return;
    this.#use.abort(new StandbyLostError(reason));
    this.#use = undefined;
    this.#options.logger?.warn(
      { standby: this.#options.number, reason },
      'a standby was lost: reading from others',
    );
  }

  /** Reads the position. Concurrent callers share a statement. */
  async #update(withinMs: number): Promise<LogPosition> {
    this.#check ??= this.#readPosition().finally(() => {
      this.#check = undefined;
    });
    const timer = new AbortController();
    try {
      const late = wait(withinMs, undefined, { signal: timer.signal, ref: false });
      return await Promise.race([
        this.#check,
        late.then(() => Promise.reject(new Error(`no response within ${withinMs} ms`))),
      ]);
    } finally {
      timer.abort();
    }
  }

  async #readPosition(): Promise<LogPosition> {
    if (this.#database === undefined) return logStart;
    const use = this.#use;
    const { position } = await readServerPosition(this.#database);
    // A position that was read before the standby was lost says nothing about it afterwards.
    if (use === this.#use) this.#position = position;
    return this.#position;
  }
}
