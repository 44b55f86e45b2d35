import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import type { DatabaseLogger } from '../../client.js';
import { isDatabaseUnavailable, isReadOnlyTransaction, isStatementRejected } from '../../database-errors.js';
import type { ConflictRetry } from '../conflict-retry.js';
import { checkReadWrite, findReadWrite, ReadOnlySessionError } from './find-read-write.js';

/** Milliseconds between two rounds of a search, and from the end of a search to the next one. */
const pauseMs = 250;

/**
 * The read-write host of a database with several hosts. New connections are opened to it. After an error that another host
 * may not have, it searches until a host is read-write, and closes the connections to all others.
 */
export class CurrentHost {
  /** Options of a pool whose connections are to this host. */
  readonly poolConfig: Pick<pg.PoolConfig, 'Client'> & { onConnect(client: pg.ClientBase): Promise<void> };
  readonly #urls: readonly string[];
  readonly #logger: DatabaseLogger | undefined;
  /** Open connections, and the URL of each. */
  readonly #connections = new Map<pg.Client, string>();
  readonly #closing = new AbortController();
  #url: string;
  #searching = false;

  /**
   * @param urls one for each host
   * @throws {Error} when no host is read-write, in one line
   */
  static async find(urls: readonly string[], logger: DatabaseLogger | undefined): Promise<CurrentHost> {
    return new CurrentHost(urls, await findReadWrite(urls), logger);
  }

  private constructor(urls: readonly string[], url: string, logger: DatabaseLogger | undefined) {
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
        else if (isDatabaseUnavailable(error) && !isStatementRejected(error)) this.#search();
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
    this.#search();
  }

  #search(): void {
    if (this.#searching) return;
    this.#searching = true;
    this.#untilFound()
      // The pause was aborted.
      .catch(() => {})
      .finally(() => {
        this.#searching = false;
      });
  }

  async #untilFound(): Promise<void> {
    const { signal } = this.#closing;
    for (let isFound = false; !isFound; ) {
      isFound = await findReadWrite(this.#urls).then(
        (url) => this.#use(url),
        () => false,
      );
      await wait(pauseMs, undefined, { ref: false, signal });
    }
  }

  #use(url: string): true {
    if (url !== this.#url) {
      this.#url = url;
      this.#logger?.warn({ host: new URL(url).host }, 'another host of the database is read-write');
    }
    this.#disconnect((connected) => connected !== url);
    return true;
  }

  #disconnect(condition: (url: string) => boolean): void {
    for (const [client, url] of this.#connections) {
      // Unlike `end`, it also closes connections to a host that does not respond.
      if (condition(url))
        client.connection.stream.destroy(new Error('Connection terminated: the host is not read-write'));
    }
  }
}
