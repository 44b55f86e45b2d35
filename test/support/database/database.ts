import type { Test } from 'tap';
import type { Database, DatabaseOptions } from '../../../src/platform/database/client.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, type TestDatabaseOptions } from './create-test-database.js';
import { takeDatabase } from './reused-database.js';
import { readsFromStandbys, watchWrites } from './standbys.js';

export {
  createTestDatabase,
  onEmbedded,
  type TestDatabaseOptions,
  testServer,
} from './create-test-database.js';

/** Opens a database of {@link createTestDatabase}. It is closed, or emptied, when the test ends. */
export async function openTestDatabase(
  t: Test,
  options: TestDatabaseOptions & Omit<DatabaseOptions, 'dataDir' | 'databaseUrl'> = {},
): Promise<Database> {
  if (Object.keys(options).length === 0) return (await takeDatabase(t)).database;
  const all = { ...(await createTestDatabase(t, options)), recordWrites: readsFromStandbys, ...options };
  const database = watchWrites(await openDatabase(all), all);
  // Teardowns run last in, first out: the database is closed before it is dropped.
  t.teardown(() => database.close());
  return database;
}

/** Opens a database like {@link openTestDatabase}, for a test that opens further connections with its options. */
export function openSharedTestDatabase(t: Test): Promise<{ database: Database; options: DatabaseOptions }> {
  return takeDatabase(t);
}

/**
 * Opens a database as another process does, with separate connections. The embedded database serves one process, so its open
 * database is returned.
 */
export async function openElsewhere(
  t: Test,
  options: DatabaseOptions,
  database: Database,
): Promise<Database> {
  if (options.databaseUrl === undefined) return database;
  const all = { recordWrites: readsFromStandbys, ...options };
  const elsewhere = watchWrites(await openDatabase(all), all);
  t.teardown(() => elsewhere.close());
  return elsewhere;
}
