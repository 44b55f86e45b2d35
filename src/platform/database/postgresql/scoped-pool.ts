import type { Connection, PoolConfig, QueryConfig, QueryResult } from 'pg';
import pg from 'pg';
import type { PreparedStatement } from '../client.js';
import { currentScope, type TenantScope } from '../scope.js';
import type { ConflictRetry } from './conflict-retry.js';
import { PinnedConnections } from './pinned-connections.js';
import { PreparedQuery } from './prepared-query.js';
import type { TransactionSettings } from './transaction-settings.js';

/**
 * The driver's query, with the part of its protocol that its types omit. The public `Submittable` would have to parse results
 * itself.
 */
interface DriverQuery {
  callback: (error: Error | null, result?: QueryResult) => void;
  submit(connection: Connection): Error | null;
  handleCommandComplete(message: unknown, connection: Connection): void;
}

const DriverQuery = pg.Query as unknown as new (
  config: QueryConfig & { queryMode: 'extended' },
) => DriverQuery;

/**
 * A statement in its own transaction, sent in one write with the settings of the transaction. Not for a distributed database,
 * where the transaction is a block.
 */
class ScopedQuery extends DriverQuery {
  readonly #settings: TransactionSettings;
  readonly #scope: TenantScope;
  #hasSettings = false;

  constructor(config: QueryConfig, settings: TransactionSettings, scope: TenantScope) {
    super({ ...config, queryMode: 'extended' });
    this.#settings = settings;
    this.#scope = scope;
  }

  override submit(connection: Connection): Error | null {
    const { stream } = connection;
    stream.cork();
    if (stream.writable) stream.write(Buffer.concat(this.#settings.messages(this.#scope, true).before));
    const error = super.submit(connection);
    stream.uncork();
    return error;
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    // The first message is for the statement of the settings.
    if (this.#hasSettings) super.handleCommandComplete(message, connection);
    this.#hasSettings = true;
  }
}

interface ScopedPoolOptions extends PoolConfig {
  readonly settings: TransactionSettings;
  /** Scope of statements that run outside of every scope. */
  readonly defaultScope: TenantScope;
  readonly retry: ConflictRetry;
  /** Maximum number of connections. */
  readonly max: number;
}

/** Connections on which each statement is a transaction with the settings of the pool and the scope of the caller. */
export class ScopedPool extends PinnedConnections {
  readonly #settings: TransactionSettings;
  readonly #defaultScope: TenantScope;
  readonly #retry: ConflictRetry;

  constructor({ settings, defaultScope, retry, onConnect, ...config }: ScopedPoolOptions) {
    super({
      ...config,
      onConnect: async (client) => {
        await onConnect?.(client);
        await settings.prepare(client);
      },
    });
    this.#settings = settings;
    this.#defaultScope = defaultScope;
    this.#retry = retry;
  }

  /** Runs one statement; the driver's other signatures are not used. */
  // biome-ignore lint/suspicious/noExplicitAny: the driver overloads this method in ways that no other type is assignable to.
  override query(config: any): any {
    // Read here: when a connection is available, the context may be that of another request.
    const scope = currentScope(this.#defaultScope);
    const statement: QueryConfig = typeof config === 'string' ? { text: config } : config;
    const settings = this.#settings;
    return this.#retry(() =>
      settings.isDistributed
        ? this.#runInBlock(statement, scope)
        : this.run(new ScopedQuery(statement, settings, scope)),
    );
  }

  /** Runs a prepared statement. */
  runPrepared<Row extends object>(
    statement: PreparedStatement,
    values: readonly string[],
    scope: TenantScope,
  ): Promise<Row[]> {
    const settings = this.#settings;
    return this.#retry(() => this.run<Row[]>(new PreparedQuery(statement, values, { settings, scope })));
  }

  /** Runs one statement in a transaction block. */
  async #runInBlock(statement: QueryConfig, scope: TenantScope): Promise<QueryResult> {
    const client = await this.connect();
    try {
      await this.#settings.begin(client, scope, 'BEGIN');
      const result = await client.query(statement);
      await client.query('COMMIT');
      client.release();
      return result;
    } catch (error) {
      client.release(true);
      throw error;
    }
  }
}
