import { createHash } from 'node:crypto';
import { migrationsDirectory, readMigrations } from '../../../src/platform/database/migrations.js';

/** Identifies the current migrations: another set of migrations has another key. */
export async function templateKey(): Promise<string> {
  const migrations = JSON.stringify(await readMigrations(migrationsDirectory));
  return createHash('sha256').update(migrations).digest('hex').slice(0, 12);
}
