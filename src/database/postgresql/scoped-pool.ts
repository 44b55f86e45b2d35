import pg, { type PoolConfig, type QueryConfig, type Submittable } from 'pg';
import { currentScope, noAccount, type Scope } from '../scope.js';
import type { ConflictRetry } from './conflict-retry.js';
import { ReadyPool } from './ready-pool.js';
import { prepareSession } from './scope-statement.js';
import { ScopedQuery } from './scoped-query.js';

type Given = string | QueryConfig | Submittable;

export interface ScopedPoolOptions extends PoolConfig {
  /** Scope of statements that run outside of every scope. */
  readonly defaultScope: Scope;
  /** Runs statements that are not part of a transaction. */
  readonly retry: ConflictRetry;
  /** Hears of a connection that policies do not bind. */
  readonly onUnbound: () => void;
}

/**
 * Connections whose statements see what the scope of the work that asks for them lets them see. A scope is sent with
 * each statement that is not part of a transaction, and with the beginning of each transaction; it ends with the
 * transaction, so that a connection that is idle never has one.
 */
export class ScopedPool extends ReadyPool {
  readonly #defaultScope: Scope;

  constructor({ defaultScope, retry, onUnbound, ...config }: ScopedPoolOptions) {
    super({
      ...config,
      Client: clientClass(defaultScope),
      onConnect: async (client) => {
        if (!(await prepareSession(client))) onUnbound();
      },
    } as PoolConfig);
    this.#defaultScope = defaultScope;
    // The driver takes more kinds of arguments than a method could be declared with.
    const query = this.query.bind(this) as (...given: unknown[]) => unknown;
    this.query = ((given: Given, values?: unknown, callback?: unknown) => {
      // The scope is that of the caller: the connection comes later, in the course of other work.
      const scope = currentScope(this.#defaultScope);
      const run = () => {
        const scoped = toScoped(given, values, scope);
        return scoped === undefined ? query(given, values, callback) : query(scoped, undefined, callback);
      };
      // A query object of a caller's own can be submitted once.
      return callback !== undefined || isSubmittable(given) ? run() : retry(async () => run());
    }) as pg.Pool['query'];
  }

  /** Gives up connections that were made before the tables and the role were. To be called when nobody uses any. */
  async renew(): Promise<void> {
    this.releaseReady();
    for (let left = this.idleCount; left > 0; left -= 1) (await this.connect()).release(true);
  }
}

/** Clients that begin transactions with the scope of whoever begins them. */
function clientClass(defaultScope: Scope) {
  return class ScopedClient extends pg.Client {
    constructor(config?: pg.ClientConfig) {
      super(config);
      const query = this.query.bind(this) as (...given: unknown[]) => unknown;
      this.query = ((given: Given, values?: unknown, callback?: unknown) => {
        const begins = !isSubmittable(given) && /^\s*BEGIN\b/i.test(textOf(given));
        const scoped = begins ? toScoped(given, values, currentScope(defaultScope)) : undefined;
        if (scoped === undefined) return query(given, values, callback);
        return new Promise((resolve, reject) => {
          query(scoped, (error: Error | null, result: unknown) => (error ? reject(error) : resolve(result)));
        });
      }) as pg.Client['query'];
    }
  };
}

function toScoped(given: Given, values: unknown, scope: Scope): ScopedQuery | undefined {
  if (scope === noAccount || isSubmittable(given)) return undefined;
  const config = typeof given === 'string' ? { text: given } : given;
  return new ScopedQuery(Array.isArray(values) ? { ...config, values } : config, scope);
}

function isSubmittable(given: Given): given is Submittable {
  return typeof given === 'object' && 'submit' in given;
}

function textOf(given: string | QueryConfig): string {
  return typeof given === 'string' ? given : given.text;
}
