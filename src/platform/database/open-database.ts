import type { Database, DatabaseOptions } from './client.js';

/**
 * Opens the database and checks that it responds. `migrate` creates the tables.
 *
 * @throws {DatabaseOpenError} one line that names DATABASE_URL or DATA_DIR.
 */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl } = options;
  // A process loads only the database that it uses.
  if (databaseUrl === undefined) {
    const { openEmbedded } = await import('./embedded/embedded.js');
    return await openEmbedded(options);
  }
  const { openPostgresql } = await import('./postgresql/postgresql.js');
  return await openPostgresql({ ...options, databaseUrl });
}
