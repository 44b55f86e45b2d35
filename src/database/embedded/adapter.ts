import type { PGlite } from '@electric-sql/pglite';
import type { SqlDriverAdapter, SqlQueryable, Transaction } from '@prisma/driver-adapter-utils';
import { DriverAdapterError } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';

type WithErrorHook = SqlQueryable & { onError(error: unknown): never };

/** The adapter for the embedded database, with the gaps between it and the one for PostgreSQL closed. */
export class EmbeddedPrismaAdapter extends PrismaPGlite {
  readonly #server: PGlite;

  constructor(server: PGlite) {
    super(server);
    this.#server = server;
  }

  override async connect(): Promise<SqlDriverAdapter> {
    const adapter = withConstraintNames(await super.connect());
    return Object.assign(adapter, {
      // The original returns before the script has run and loses its failure: a migration that failed would be
      // recorded as applied.
      executeScript: async (script: string): Promise<void> => {
        try {
          await this.#server.exec(script);
        } catch (error) {
          (adapter as unknown as WithErrorHook).onError(error);
        }
      },
      // There is one connection, so that transactions run one after the other: every level is serializable.
      startTransaction: async () => withSavepoints(await startTransaction(adapter, this.#server)),
    });
  }
}

/** Makes unique violations name their constraint, where the original gives the columns only. */
function withConstraintNames<Queryable extends SqlQueryable>(queryable: Queryable): Queryable {
  const hooked = queryable as unknown as WithErrorHook;
  const original = hooked.onError.bind(hooked);
  hooked.onError = (error: unknown): never => {
    const { code, constraint, message } = error as Partial<Record<string, string>>;
    if (code !== '23505' || constraint === undefined) return original(error);
    throw new DriverAdapterError({
      kind: 'UniqueConstraintViolation',
      constraint: { index: constraint },
      originalCode: code,
      originalMessage: message ?? '',
    });
  };
  return queryable;
}

/** What the original begins a transaction with, once it has set the level of isolation. */
type TransactionStarter = {
  startTransactionInner(client: Pick<PGlite, 'transaction'>, options: object): Promise<Transaction>;
};

/** Makes the failure of a COMMIT known, which the original takes for a success, and survives that of a ROLLBACK. */
async function startTransaction(adapter: SqlQueryable, server: PGlite): Promise<Transaction> {
  let outcome: Promise<unknown> | undefined;
  const client: Pick<PGlite, 'transaction'> = {
    transaction(work) {
      const watched = server.transaction((transaction) => {
        const rollback = transaction.rollback.bind(transaction);
        // The original does not wait for it, so that a failure would be nobody's and end the process.
        return work(Object.assign(transaction, { rollback: () => rollback().catch(() => {}) }));
      });
      outcome = watched;
      return watched;
    },
  };
  const starter = adapter as unknown as TransactionStarter;
  const transaction = withConstraintNames(
    await starter.startTransactionInner(client, { usePhantomQuery: true }),
  );
  const commit = transaction.commit.bind(transaction);
  return Object.assign(transaction, {
    commit: async () => {
      await commit();
      await outcome?.catch((error) => (transaction as unknown as WithErrorHook).onError(error));
    },
  });
}

/** Lets transactions nest, as they do on PostgreSQL. */
function withSavepoints(transaction: Transaction): Transaction {
  const run = async (sql: string): Promise<void> => {
    await transaction.executeRaw({ sql, args: [], argTypes: [] });
  };
  return Object.assign(transaction, {
    createSavepoint: (name: string) => run(`SAVEPOINT ${name}`),
    rollbackToSavepoint: (name: string) => run(`ROLLBACK TO SAVEPOINT ${name}`),
    releaseSavepoint: (name: string) => run(`RELEASE SAVEPOINT ${name}`),
  });
}
