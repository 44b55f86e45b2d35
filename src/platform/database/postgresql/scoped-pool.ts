import type { PoolConfig, QueryConfig, QueryResult } from 'pg';
import type { HotStatement, TextRow } from '../hot/hot-statement.js';
import { currentScope, type Scope } from '../scope.js';
import type { ConflictRetry } from './conflict-retry.js';
import { HotQuery } from './hot-query.js';
import { ReadyPool } from './ready-pool.js';
import { ScopedQuery } from './scoped-query.js';
import type { TransactionSettings } from './transaction-settings.js';

export interface ScopedPoolOptions extends PoolConfig {
  readonly settings: TransactionSettings;
  /** Scope of statements that run outside of every scope. */
  readonly defaultScope: Scope;
  readonly retry: ConflictRetry;
  /** Maximum number of connections. */
  readonly max: number;
}

/** Connections on which each statement is a transaction with the settings of the pool and the scope of the caller. */
export class ScopedPool extends ReadyPool {
  readonly #settings: TransactionSettings;
  readonly #defaultScope: Scope;
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

  /** Runs a hot statement. */
  runHot(statement: HotStatement, values: readonly string[], scope: Scope): Promise<TextRow[]> {
    const settings = this.#settings;
    return this.#retry(() => this.run<TextRow[]>(new HotQuery(statement, values, { settings, scope })));
  }

  /** Runs one statement in a transaction block. */
  async #runInBlock(statement: QueryConfig, scope: Scope): Promise<QueryResult> {
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
