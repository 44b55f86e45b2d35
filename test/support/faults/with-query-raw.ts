import type { Database } from '../../../src/platform/database/client.js';

/** A copy of the database with another `$queryRaw`, which fails or waits. The given database is unchanged. */
export function withQueryRaw(database: Database, queryRaw: () => Promise<unknown>): Database {
  // Defined, not assigned: the client is a proxy, and an assignment would change it.
  const prisma = Object.create(database.prisma, { $queryRaw: { value: queryRaw } });
  return { ...database, prisma };
}
