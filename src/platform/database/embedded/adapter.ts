import type { PGlite } from '@electric-sql/pglite';
import type { SqlDriverAdapter, SqlMigrationAwareDriverAdapterFactory } from '@prisma/driver-adapter-utils';
import { PrismaPGlite } from 'pglite-prisma-adapter';
import { toAdapterError } from '../adapter-error.js';
import { withConstraintNames } from './constraint-names.js';
import { beginTransaction } from './transaction.js';

/**
 * Creates the driver adapter of the embedded database. Like the adapter for PostgreSQL, it reports failed scripts and failed
 * commits, and the names of violated unique constraints.
 */
export function createEmbeddedAdapter(server: PGlite): SqlMigrationAwareDriverAdapterFactory {
  const factory = new PrismaPGlite(server);
  return {
    provider: factory.provider,
    adapterName: factory.adapterName,
    connect: async () => adapt(await factory.connect(), server),
    connectToShadowDb: () => factory.connectToShadowDb(),
  };
}

function adapt(adapter: SqlDriverAdapter, server: PGlite): SqlDriverAdapter {
  return {
    ...withConstraintNames(adapter),
    executeScript: async (script) => {
      await server.exec(script).catch((error: unknown) => {
        throw toAdapterError(error);
      });
    },
    // The isolation level is ignored: on the only connection, transactions run one after the other.
    startTransaction: () => beginTransaction(server),
    getConnectionInfo: () => adapter.getConnectionInfo?.() ?? { supportsRelationJoins: true },
    dispose: () => adapter.dispose(),
  };
}
