import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { Logger } from '../../logger.js';
import {
  describeError,
  isDatabaseUnavailable,
  isReadOnlyTransaction,
  isStatementRejected,
} from '../database-errors.js';
import type { ConflictRetry } from './conflict-retry.js';

/** Milliseconds between two rounds of a search, and from the end of a search to the next one. */
const pauseMs = 250;

/** Time limit of each host in a round. A host that hangs does not delay for long that a promoted one is found. */
const roundTimeoutMs = 1_000;

/**
 * The read-write host of a database with several hosts. New connections are opened to it. After an error that another host
 * may not have, it searches until a host is read-write, and closes the connections to all others.
 */
export class CurrentHost {
  /** Options of a pool whose connections are to this host. */
  readonly poolConfig: Pick<pg.PoolConfig, 'Client'> & { onConnect(client: pg.ClientBase): Promise<void> };
  readonly #urls: readonly string[];
  readonly #logger: Logger | undefined;
  /** Open connections, and the URL of each. */
  readonly #connections = new Map<pg.Client, string>();
  readonly #closing = new AbortController();
  #url: string;
  #searching = false;

  /**
   * @param urls one for each host
   * @param timeoutMs see {@link findReadWrite}
   * @throws {Error} when no host is read-write, in one line
   */
  static async find(
    urls: readonly string[],
    timeoutMs: number,
    logger: Logger | undefined,
  ): Promise<CurrentHost> {
    return new CurrentHost(urls, await findReadWrite(urls, timeoutMs), logger);
  }

  private constructor(urls: readonly string[], url: string, logger: Logger | undefined) {
    this.#urls = urls;
    this.#url = url;
    this.#logger = logger;
    this.poolConfig = { Client: this.#createClient(), onConnect: (client) => this.#check(client) };
  }

  /** Wraps the function that runs the statements of requests, so that their errors start a search. */
  watch(retry: ConflictRetry): ConflictRetry {
    return (work) =>
      retry(work).catch((error: unknown) => {
        if (isReadOnlyTransaction(error)) this.#leave();
        else if (isDatabaseUnavailable(error) && !isStatementRejected(error)) void this.#search();
        throw error;
      });
  }

  /** Stops searching. */
  close(): void {
    this.#closing.abort();
  }

  #createClient() {
    const connect = (client: pg.Client, url: string) => {
      this.#connections.set(client, url);
      client.once('end', () => this.#connections.delete(client));
    };
    const currentUrl = () => this.#url;
    return class extends pg.Client {
      constructor(config?: pg.ClientConfig) {
        const connectionString = currentUrl();
        super({ ...config, connectionString });
        connect(this, connectionString);
      }
    };
  }

  /** Rejects a new session on a host that has become a standby, which would return outdated rows. */
  async #check(client: pg.ClientBase): Promise<void> {
    try {
      await checkReadWrite(client);
    } catch (error) {
      if (error instanceof ReadOnlySessionError) this.#leave();
      throw error;
    }
  }

  /** Closes all connections, because the host has become read-only. */
  #leave(): void {
    this.#disconnect(() => true);
    void this.#search();
  }

  async #search(): Promise<void> {
    if (this.#searching) return;
    this.#searching = true;
    for (let isFound = false; !isFound && !this.#closing.signal.aborted; ) {
      const url = await findReadWrite(this.#urls, roundTimeoutMs).catch(() => undefined);
      isFound = url !== undefined;
      if (url !== undefined) this.#use(url);
      await wait(pauseMs, undefined, { ref: false, signal: this.#closing.signal }).catch(() => {});
    }
    this.#searching = false;
  }

  #use(url: string): void {
    if (url !== this.#url) {
      this.#url = url;
      this.#logger?.warn({ host: new URL(url).host }, 'another host of the database is read-write');
    }
    this.#disconnect((connected) => connected !== url);
  }

  #disconnect(condition: (url: string) => boolean): void {
    for (const [client, url] of this.#connections) {
      // Unlike `end`, it also closes connections to a host that does not respond.
      if (condition(url))
        client.connection.stream.destroy(new Error('Connection terminated: the host is not read-write'));
    }
  }
}

/** The session is read-only. `code` is the SQLSTATE of a statement that writes in such a session. */
class ReadOnlySessionError extends Error {
  override readonly name = 'ReadOnlySessionError';
  readonly code = '25006';

  constructor() {
    super('the session is read-only');
  }
}

/**
 * Checks that statements of a session may write. They may not on a standby, or where `default_transaction_read_only` is on.
 *
 * @throws {ReadOnlySessionError} when they may not
 */
async function checkReadWrite(client: pg.ClientBase): Promise<void> {
  // A query, because connection poolers do not forward the parameters that PostgreSQL reports.
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new ReadOnlySessionError();
}

/**
 * Connects to all hosts at the same time.
 *
 * @param urls one for each host
 * @param timeoutMs milliseconds that a host may take to accept a connection, and to respond to the query
 * @returns URL of the first host that responds with a read-write session
 * @throws {Error} when there is none; its message has a reason for each host, in one line
 */
export async function findReadWrite(urls: readonly string[], timeoutMs: number): Promise<string> {
  try {
    return await Promise.any(urls.map((url) => tryHost(url, timeoutMs)));
  } catch (error) {
    const reasons = (error as AggregateError).errors.map((reason, index) => {
      const { host } = new URL(urls[index] ?? '');
      return `${host}: ${describeError(reason)}`;
    });
    throw new Error(`no host is read-write (${reasons.join('; ')})`);
  }
}

async function tryHost(connectionString: string, timeoutMs: number): Promise<string> {
  const client = new pg.Client({
    connectionString,
    application_name: 'people-api',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // The query reports the loss of the connection.
  client.on('error', () => {});
  try {
    await client.connect();
    await checkReadWrite(client);
    return connectionString;
  } finally {
    // Not awaited: a host that hangs does not close the connection.
    client.end().catch(() => {});
  }
}
