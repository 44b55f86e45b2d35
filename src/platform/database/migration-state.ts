import { Prisma } from './client.js';
import { type MigrationFile, matchesChecksum } from './migration-files.js';

/** The migrations cannot be applied. The message is one line. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

/** A row of `_prisma_migrations`. */
export interface AppliedMigration {
  readonly name: string;
  readonly checksum: string;
  readonly finished: boolean;
}

/** Reads the applied migrations, except those that are marked as rolled back. */
export const appliedMigrationsQuery = Prisma.sql`
  SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
  FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`;

/** Difference between the migrations of the database and of the code. */
export interface MigrationState {
  /** Migrations to apply, in order. */
  readonly pending: readonly MigrationFile[];
  /** Names of the migrations that a later version of the code has applied. They are compatible with this version. */
  readonly later: readonly string[];
}

/**
 * Compares the migrations of the database with those of the code.
 *
 * @throws {MigrationError} when a migration failed, was changed after it was applied, or is unknown although it is not newer
 *   than those of the code
 */
export function compareMigrations(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): MigrationState {
  const notApplied = new Map(files.map((file) => [file.name, file]));
  const unknown: string[] = [];
  for (const { name, checksum, finished } of applied) {
    if (!finished) {
      throw new MigrationError(
        `The migration ${name} failed before: repair the database, then mark it with "npx prisma migrate resolve"`,
      );
    }
    const file = notApplied.get(name);
    if (file !== undefined && !matchesChecksum(file.script, checksum)) {
      throw new MigrationError(
        `The migration ${name} was changed after it was applied: restore it and put the change in a new one`,
      );
    }
    if (file === undefined) unknown.push(name);
    notApplied.delete(name);
  }
  const pending = [...notApplied.values()];
  const newest = files.at(-1)?.name ?? '';
  const foreign = pending.length > 0 ? unknown[0] : unknown.find((name) => name < newest);
  if (foreign !== undefined) {
    throw new MigrationError(
      `The database has the migration ${foreign}, which the code does not have: use the version of the code that created it`,
    );
  }
  return { pending, later: unknown };
}
