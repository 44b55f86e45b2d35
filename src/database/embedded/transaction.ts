import type { PGlite, Transaction as ServerTransaction } from '@electric-sql/pglite';
import type { Transaction } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { toAdapterError } from '../adapter-error.js';
import { withConstraintNames } from './constraint-names.js';

/** Begins a transaction, which other transactions and statements wait for. It reports the failure of its COMMIT. */
export async function beginTransaction(server: PGlite): Promise<Transaction> {
  let end: () => void = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  let outcome: Promise<void> = Promise.resolve();
  const transaction = await new Promise<ServerTransaction>((resolve, reject) => {
    outcome = server.transaction(async (begun) => {
      resolve(begun);
      await ended;
    });
    outcome.catch(reject);
  });
  // Its queries need no more of the server than a transaction has.
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
      // A transaction that has failed may be over already.
      await transaction.rollback().catch(() => {});
      end();
      await outcome.catch(() => {});
    },
    createSavepoint: (name) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name) => run(`ROLLBACK TO SAVEPOINT ${name}`),
    releaseSavepoint: (name) => run(`RELEASE SAVEPOINT ${name}`),
  };
}
