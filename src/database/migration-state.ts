import { type MigrationFile, matchesChecksum } from './migration-files.js';

/** The tables cannot be brought to this version of the code; the message is one line. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A row of Prisma's own table of migrations. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/** Reads what has been applied; a migration that was rolled back by hand does not count. */
export const appliedMigrationsQuery = `
  SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
  FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`;

/**
 * Compares what the database has with what the code has.
 *
 * @returns the migrations still to apply, in order.
 * @throws {MigrationError} when the database is newer than the code, a migration failed half-way, or one was
 *   changed after it had been applied.
 */
export function pendingMigrations(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): MigrationFile[] {
  const known = new Map(files.map((file) => [file.name, file]));
  for (const { name, checksum, finished } of applied) {
    const file = known.get(name);
    if (file === undefined) {
      throw new MigrationError(
        `The database is newer than this version of the service: it has the migration ${name}, the code does not`,
      );
    }
    if (!finished) {
      throw new MigrationError(
        `The migration ${name} failed before: repair the database, then mark it with "npx prisma migrate resolve"`,
      );
    }
    if (!matchesChecksum(file.script, checksum)) {
      throw new MigrationError(
        `The migration ${name} was changed after it had been applied: restore it and put the change in a new one`,
      );
    }
    known.delete(name);
  }
  return [...known.values()];
}
