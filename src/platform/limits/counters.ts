import { RateLimiterPrisma } from 'rate-limiter-flexible';
import type { Database } from '../database/client.js';
import { type Counter, counting, toCounter } from './counter.js';

/** Counters that all processes of the service share. */
export interface Counters {
  readonly failures: Counter;
  readonly requests: Counter;
  /** Connects to the store. Resolves after a second at the latest, with or without a connection. */
  open(): Promise<void>;
  close(): void;
}

/** Counts in tables of the database. Housekeeping deletes expired counts. */
export function createDatabaseCounters({ prisma }: Database): Counters {
  const counter = (tableName: 'failureCount' | 'requestCount') =>
    toCounter(
      new RateLimiterPrisma({
        storeClient: prisma,
        tableName,
        keyPrefix: '',
        ...counting,
        clearExpiredByTimeout: false,
      }),
    );
  return {
    failures: counter('failureCount'),
    requests: counter('requestCount'),
    open: async () => {},
    close: () => {},
  };
}
