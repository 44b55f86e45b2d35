import { Prisma } from './client.js';
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
export const appliedMigrationsQuery = Prisma.sql`
  SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished
  FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY started_at`;

/** How what the database has differs from what the code has. */
export interface MigrationState {
  /** Still to be applied, in order. */
  readonly pending: readonly MigrationFile[];
  /** Names of those that a later version has applied, on top of all of ours. They take nothing away that we need. */
  readonly later: readonly string[];
}

/**
 * Compares what the database has with what the code has.
 *
 * @throws {MigrationError} when a migration failed half-way, was changed after it had been applied, or is one that the code
 *   should know
 */
export function compareMigrations(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): MigrationState {
  const known = new Map(files.map((file) => [file.name, file]));
  const unknown: string[] = [];
  for (const { name, checksum, finished } of applied) {
    if (!finished) {
      throw new MigrationError(
        `The migration ${name} failed before: repair the database, then mark it with "npx prisma migrate resolve"`,
      );
    }
    const file = known.get(name);
    if (file !== undefined && !matchesChecksum(file.script, checksum)) {
      throw new MigrationError(
        `The migration ${name} was changed after it had been applied: restore it and put the change in a new one`,
      );
    }
    if (file === undefined) unknown.push(name);
    known.delete(name);
  }
  const pending = [...known.values()];
  const newest = files.at(-1)?.name ?? '';
  const foreign = pending.length > 0 ? unknown[0] : unknown.find((name) => name < newest);
  if (foreign !== undefined) {
    throw new MigrationError(
      `The database is of another line of versions: it has the migration ${foreign}, which the code does not have`,
    );
  }
  return { pending, later: unknown };
}
