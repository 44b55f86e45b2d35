import type {
  IsolationLevel,
  SqlDriverAdapter,
  SqlDriverAdapterFactory,
  SqlQuery,
  Transaction,
} from '@prisma/driver-adapter-utils';
import { currentScope, type TenantScope } from '../scope.js';
import type { TransactionSettings } from './transaction-settings.js';

interface Options {
  readonly settings: TransactionSettings;
  readonly defaultScope: TenantScope;
}

/** Wraps an adapter factory. Each transaction starts with the settings of the pool and the scope of the caller. */
export function withTransactionSettings(
  factory: SqlDriverAdapterFactory,
  options: Options,
): SqlDriverAdapterFactory {
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => new ScopedAdapter(await factory.connect(), options),
  };
}

class ScopedAdapter implements SqlDriverAdapter {
  readonly provider;
  readonly adapterName;
  readonly #adapter: SqlDriverAdapter;
  readonly #options: Options;

  constructor(adapter: SqlDriverAdapter, options: Options) {
    this.provider = adapter.provider;
    this.adapterName = adapter.adapterName;
    this.#adapter = adapter;
    this.#options = options;
  }

  async startTransaction(isolationLevel?: IsolationLevel): Promise<Transaction> {
    const { settings, defaultScope } = this.#options;
    const scope = currentScope(defaultScope);
    const transaction = await this.#adapter.startTransaction(isolationLevel);
    const argTypes = [textArgument, textArgument];
    try {
      await transaction.executeRaw({ sql: settings.text, args: [scope, settings.role], argTypes });
      for (const sql of settings.workerSettings(scope))
        await transaction.executeRaw({ sql, args: [], argTypes: [] });
    } catch (error) {
      // The rollback of the adapter only releases the connection.
      await transaction.executeRaw({ sql: 'ROLLBACK', args: [], argTypes: [] }).catch(() => {});
      await transaction.rollback();
      throw error;
    }
    return transaction;
  }

  queryRaw(query: SqlQuery) {
    return this.#adapter.queryRaw(query);
  }

  executeRaw(query: SqlQuery) {
    return this.#adapter.executeRaw(query);
  }

  executeScript(script: string) {
    return this.#adapter.executeScript(script);
  }

  getConnectionInfo() {
    return this.#adapter.getConnectionInfo?.() ?? { supportsRelationJoins: true };
  }

  dispose() {
    return this.#adapter.dispose();
  }
}

const textArgument = { scalarType: 'string', arity: 'scalar' } as const;
