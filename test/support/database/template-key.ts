import { createHash } from 'node:crypto';
import { migrationsDirectory, readMigrations } from '../../../src/database/migration-files.js';

/** Names the tables that the current migrations make: another set of migrations has another key. */
export async function templateKey(): Promise<string> {
  const migrations = JSON.stringify(await readMigrations(migrationsDirectory));
  return createHash('sha256').update(migrations).digest('hex').slice(0, 12);
}
