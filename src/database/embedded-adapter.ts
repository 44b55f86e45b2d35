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
    const startTransaction = adapter.startTransaction.bind(adapter);
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
      startTransaction: async () => withSavepoints(withConstraintNames(await startTransaction())),
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
