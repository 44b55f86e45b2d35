import { setTimeout as wait } from 'node:timers/promises';
import type { Logger } from '../../logger.js';
import { describeError, isWriteConflict } from '../database-errors.js';
import { PrismaClient } from '../generated/client.js';

/** Milliseconds before the retry, so that the other transaction can acquire its locks. */
const pauseMs = 50;

/** Runs work, and once again after a conflict with another transaction, which has stored nothing. */
export type ConflictRetry = <Result>(work: () => Promise<Result>) => Promise<Result>;

/**
 * PostgreSQL aborts one of two transactions that deadlock (40P01). The lock order of `src/platform/database/README.md` makes deadlocks
 * rare. Statements that change several rows can still deadlock. A second conflict is thrown, and the response is 503.
 */
export function createConflictRetry(logger: Logger | undefined): ConflictRetry {
  return (work) =>
    work().catch(async (error: unknown) => {
      if (!isWriteConflict(error)) throw error;
      logger?.warn({ reason: describeError(error) }, 'a transaction conflict: retrying');
      await wait(pauseMs);
      return work();
    });
}

/**
 * Creates a Prisma client that retries transactions after a conflict.
 *
 * @param committed called after each commit, before the result is returned
 */
export function createRetryingClient(
  options: ConstructorParameters<typeof PrismaClient>[0],
  retry: ConflictRetry,
  committed?: () => Promise<void>,
): PrismaClient {
  // A subclass and not an extension, so that extended clients retry as well.
  class RetryingClient extends PrismaClient {
    override async $transaction(work: never, options?: never): Promise<never> {
      const result = await retry(() => super.$transaction(work, options) as Promise<never>);
      await committed?.();
      return result;
    }
  }
  return new RetryingClient(options);
}
