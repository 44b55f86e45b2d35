import { setTimeout as wait } from 'node:timers/promises';
import type { DatabaseLogger } from '../client.js';
import { describeError, isWriteConflict } from '../database-errors.js';
import { PrismaClient } from '../generated/client.js';

/** Time for the other transaction to take the locks that this one has lost: both would wait for each other again. */
const pauseMs = 50;

/** Runs work again, once, when it lost against another transaction: nothing of it was stored then. */
export type ConflictRetry = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * PostgreSQL ends one of two transactions that wait for each other (40P01). Transactions lock in one order, so that
 * this is rare; it cannot be ruled out for statements that change several rows at once. A second failure is thrown,
 * and the response to it is 503.
 */
export function createConflictRetry(logger: DatabaseLogger | undefined): ConflictRetry {
  return (work) =>
    work().catch(async (error: unknown) => {
      if (!isWriteConflict(error)) throw error;
      logger?.warn({ reason: describeError(error) }, 'a transaction conflict: running it again');
      await wait(pauseMs);
      return work();
    });
}

/** A Prisma client that runs interactive transactions again after a conflict. */
export function createRetryingClient(
  options: ConstructorParameters<typeof PrismaClient>[0],
  retry: ConflictRetry,
): PrismaClient {
  // Clients that are extended later inherit from this one, so that they retry as well.
  class RetryingClient extends PrismaClient {
    override $transaction(work: never, options?: never): Promise<never> {
      return retry(() => super.$transaction(work, options) as Promise<never>);
    }
  }
  return new RetryingClient(options);
}
