import type { Database, DatabaseOptions } from './client.js';
import { openEmbedded } from './embedded/embedded.js';
import { openPostgresql } from './postgresql/postgresql.js';

/**
 * Opens the database and checks that it responds. `migrate` creates the tables.
 *
 * @throws {DatabaseOpenError} one line that names DATABASE_URL or DATA_DIR.
 */
export function openDatabase(options: DatabaseOptions): Promise<Database> {
  const { databaseUrl } = options;
  return databaseUrl === undefined ? openEmbedded(options) : openPostgresql({ ...options, databaseUrl });
}
