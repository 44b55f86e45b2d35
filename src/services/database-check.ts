import { performance } from 'node:perf_hooks';
import type { Database } from '../database/client.js';

/** Milliseconds after which a check tries another connection, because only the first one may hang. */
const retryAfterMs = 10_000;

/** Checks whether the database responds. Concurrent checks share a query, so that few connections hang with the database. */
export class DatabaseCheck {
  readonly #prisma: Database['prisma'];
  #current: { readonly at: number; readonly result: Promise<unknown> } | undefined;

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Resolves when the database responds.
   *
   * @throws the error of the query
   */
  run(): Promise<unknown> {
    const now = performance.now();
    const current = this.#current;
    if (current !== undefined && now - current.at < retryAfterMs) return current.result;
    const result = Promise.resolve(this.#prisma.$queryRaw`SELECT 1`);
    const own = { at: now, result };
    this.#current = own;
    const clear = () => {
      if (this.#current === own) this.#current = undefined;
    };
    result.then(clear, clear);
    return result;
  }
}
