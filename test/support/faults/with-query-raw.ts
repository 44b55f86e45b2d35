import type { Database } from '../../../src/database/client.js';

/** The database with another `$queryRaw`, which fails or waits. The given database stays as it is. */
export function withQueryRaw(database: Database, queryRaw: () => Promise<unknown>): Database {
  // Defined, not assigned: an assignment reaches the client, which is a proxy.
  const prisma = Object.create(database.prisma, { $queryRaw: { value: queryRaw } });
  return { ...database, prisma };
}
