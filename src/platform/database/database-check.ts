import { performance } from 'node:perf_hooks';
import type { Database } from './client.js';

/** Milliseconds after which a check tries another connection, because only the first one may hang. */
const retryAfterMs = 10_000;

/** The database responds and accepts no writes: it is a standby, recovers, or `default_transaction_read_only` is on. */
export class ReadOnlyDatabaseError extends Error {
  override readonly name = 'ReadOnlyDatabaseError';
}

/**
 * Checks whether the database responds and accepts writes. Concurrent checks share a query, so that few connections hang with the
 * database.
 */
export class DatabaseCheck {
  readonly #prisma: Database['prisma'];
  #current: { readonly at: number; readonly result: Promise<unknown> } | undefined;

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Resolves when the database responds and accepts writes.
   *
   * @throws {ReadOnlyDatabaseError} when it accepts no writes
   * @throws the error of the query
   */
  run(): Promise<unknown> {
    const now = performance.now();
    const current = this.#current;
    if (current !== undefined && now - current.at < retryAfterMs) return current.result;
    const result = this.#query();
    const own = { at: now, result };
    this.#current = own;
    const clear = () => {
      if (this.#current === own) this.#current = undefined;
    };
    result.then(clear, clear);
    return result;
  }

  async #query(): Promise<void> {
    const [row] = await this.#prisma.$queryRaw<{ isReadOnly: boolean }[]>`
      SELECT pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS "isReadOnly"`;
    if (row?.isReadOnly) throw new ReadOnlyDatabaseError('the database is read-only');
  }
}
