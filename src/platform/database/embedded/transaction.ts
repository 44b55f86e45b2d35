import type { PGlite, Transaction as ServerTransaction } from '@electric-sql/pglite';
import type { Transaction } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { toAdapterError } from '../adapter-error.js';
import { withConstraintNames } from './constraint-names.js';

/** Starts a transaction. Other transactions and statements wait for it. A failed COMMIT is reported. */
export async function beginTransaction(server: PGlite): Promise<Transaction> {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let outcome: Promise<void> = Promise.resolve();
  const transaction = await new Promise<ServerTransaction>((resolve, reject) => {
    outcome = server.transaction(async (started) => {
      resolve(started);
      await ended;
    });
    outcome.catch(reject);
  });
  // For queries, the adapter uses only methods that a transaction has as well.
  const queries = withConstraintNames(await new PrismaPGlite(transaction as unknown as PGlite).connect());
  const run = async (sql: string): Promise<void> => {
    await queries.executeRaw({ sql, args: [], argTypes: [] });
  };
  return {
    ...queries,
    options: { usePhantomQuery: true },
    async commit() {
      end();
      await outcome.catch((error: unknown) => {
        throw toAdapterError(error);
      });
    },
    async rollback() {
      // A failed transaction may already be rolled back.
      await transaction.rollback().catch(() => {});
      end();
      await outcome.catch(() => {});
    },
    createSavepoint: (name) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name) => run(`ROLLBACK TO SAVEPOINT ${name}`),
    releaseSavepoint: (name) => run(`RELEASE SAVEPOINT ${name}`),
  };
}
