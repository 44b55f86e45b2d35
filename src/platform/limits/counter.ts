import { createHash } from 'node:crypto';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterPrisma } from 'rate-limiter-flexible';
import { type Database, Prisma } from '../database/client.js';

/** Length of a window, in seconds. */
export const windowSeconds = 60;

/** Options of the limiters of rate-limiter-flexible. They only count; `RequestLimit` and `FailureLimit` apply the limits. */
export const counting = { points: 0, duration: windowSeconds } as const;

/** The count of a subject in its current window. */
export interface Count {
  readonly total: number;
  /** Milliseconds until the window ends. */
  readonly resetMs: number;
}

/** Counts events of subjects. The window of a subject starts with its first event and lasts {@link windowSeconds}. */
export interface Counter {
  /** Adds points to the count of a subject. Negative points are subtracted. */
  add(subject: string, points: number): Promise<Count>;
}

/** A counter of a limiter with the options {@link counting}. */
export function toCounter(limiter: Pick<RateLimiterAbstract, 'penalty' | 'reward'>): Counter {
  return {
    async add(subject, points) {
      const key = keyFor(subject);
      const result = await (points < 0 ? limiter.reward(key, -points) : limiter.penalty(key, points));
      return { total: result.consumedPoints, resetMs: Math.max(0, result.msBeforeNext) };
    },
  };
}

/** The key of a subject. Hashed, so that the store contains no IP addresses or e-mail addresses. */
export function keyFor(subject: string): string {
  return createHash('sha256').update(subject).digest('base64url');
}

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

/**
 * Counts an event of subjects in the database, in windows of any length that start with the first event. One statement counts it
 * for all subjects, in the order of their keys.
 *
 * @param keys of the subjects, from {@link keyFor}
 */
export function countInWindow(
  database: Pick<Prisma.TransactionClient, '$queryRaw'>,
  keys: readonly string[],
  { milliseconds, at }: { milliseconds: number; at: Date },
): Promise<{ key: string; points: number; expire: Date }[]> {
  const expire = new Date(at.getTime() + milliseconds);
  const rows = [...keys].sort().map((key) => Prisma.sql`(${key}, 1, ${expire})`);
  return database.$queryRaw`
    INSERT INTO failure_counts AS stored (key, points, expire) VALUES ${Prisma.join(rows)}
    ON CONFLICT (key) DO UPDATE SET
      points = CASE WHEN stored.expire > ${at} THEN stored.points + 1 ELSE 1 END,
      expire = CASE WHEN stored.expire > ${at} THEN stored.expire ELSE excluded.expire END
    RETURNING key, points, expire`;
}

/** Counts events of this process only. */
export function createMemoryCounter(): Counter {
  return toCounter(new RateLimiterMemory({ keyPrefix: '', ...counting }));
}
