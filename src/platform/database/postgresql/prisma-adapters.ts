import { PrismaPg } from '@prisma/adapter-pg';
import type { IsolationLevel, SqlDriverAdapter, Transaction } from '@prisma/driver-adapter-utils';
import type { Pool } from 'pg';
import { toAdapterError } from '../database-errors.js';
import { currentScope, type TenantScope } from '../scope.js';
import { createStatementNames } from './prepared-query.js';
import type { TransactionSettings } from './transaction-settings.js';

type PgAdapter = Awaited<ReturnType<PrismaPg['connect']>>;

/** Driver adapter whose transactions start with the settings of the pool and the scope of the caller. */
export class ScopedPrismaPg extends PrismaPg {
  readonly #settings: TransactionSettings;
  readonly #defaultScope: TenantScope;

  constructor(pool: Pool, settings: TransactionSettings, defaultScope: TenantScope) {
    super(pool, { statementNameGenerator: createStatementNames() });
    this.#settings = settings;
    this.#defaultScope = defaultScope;
  }

  override async connect(): Promise<PgAdapter> {
    const adapter = await super.connect();
    const start = adapter.startTransaction.bind(adapter);
    adapter.startTransaction = async (isolationLevel?: IsolationLevel) => {
      const scope = currentScope(this.#defaultScope);
      const transaction = await start(isolationLevel);
      await this.#applySettings(transaction, scope);
      return transaction;
    };
    return adapter;
  }

  async #applySettings(transaction: Transaction, scope: TenantScope): Promise<void> {
    const { text, role } = this.#settings;
    const argTypes = [textArgument, textArgument];
    try {
      await transaction.executeRaw({ sql: text, args: [scope, role], argTypes });
      for (const sql of this.#settings.workerSettings(scope))
        await transaction.executeRaw({ sql, args: [], argTypes: [] });
    } catch (error) {
      // The rollback of the adapter only releases the connection.
      await transaction.executeRaw({ sql: 'ROLLBACK', args: [], argTypes: [] }).catch(() => {});
      await transaction.rollback();
      throw error;
    }
  }
}

const textArgument = { scalarType: 'string', arity: 'scalar' } as const;

/**
 * Driver adapter for migrations. Prisma's adapter splits a script at every semicolon, even inside of function bodies. This one
 * sends the whole script, so that a script without BEGIN and COMMIT is one transaction.
 */
export class ScriptPrismaPg extends PrismaPg {
  override async connect(): Promise<PgAdapter> {
    const adapter = await super.connect();
    adapter.executeScript = executeWhole;
    return adapter;
  }
}

async function executeWhole(this: PgAdapter, script: string): ReturnType<SqlDriverAdapter['executeScript']> {
  try {
    await this.underlyingDriver().query(script);
  } catch (error) {
    throw toAdapterError(error);
  }
}
