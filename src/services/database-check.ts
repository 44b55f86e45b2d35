import { performance } from 'node:perf_hooks';
import type { Database } from '../database/client.js';

/** Milliseconds after which another connection is tried: the one that hangs may be the only one. */
const givenUpAfterMs = 10_000;

/** Checks whether the database responds. Checks at the same time share a query: few connections hang with a database. */
export class DatabaseCheck {
  readonly #prisma: Database['prisma'];
  #current: { readonly at: number; readonly result: Promise<unknown> } | undefined;

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /** Resolves when the database responds. */
  run(): Promise<unknown> {
    const now = performance.now();
    const current = this.#current;
    if (current !== undefined && now - current.at < givenUpAfterMs) return current.result;
    const result = Promise.resolve(this.#prisma.$queryRaw`SELECT 1`);
    const own = { at: now, result };
    this.#current = own;
    const forget = () => {
      if (this.#current === own) this.#current = undefined;
    };
    result.then(forget, forget);
    return result;
  }
}
