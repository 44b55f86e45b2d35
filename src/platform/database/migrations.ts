import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { packageRoot } from '../package-root.js';
import { Prisma } from './client.js';

/** Directory of the migrations, for the sources and for the build. */
export const migrationsDirectory = path.join(packageRoot, 'prisma', 'migrations');

/** A migration of the code. */
export interface MigrationFile {
  readonly name: string;
  readonly script: string;
}

/** Reads the migrations of a directory in the order in which they are applied. */
export async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(
    names.sort().map(async (name) => ({
      name,
      script: await readFile(path.join(directory, name, 'migration.sql'), 'utf8'),
    })),
  );
}

/** Checksum of a script as Prisma records it. */
export function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex');
}

/** Whether a recorded checksum belongs to a script. As in Prisma, line endings do not matter. */
function matchesChecksum(script: string, checksum: string): boolean {
  const unix = script.replaceAll('\r\n', '\n');
  return [script, unix, unix.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum);
}

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

/** The first migration. It creates the schema that the {@link replacedMigrations} created. */
export const initialMigration = '20261125000000_initial';

/** Migrations of the previous version. A database that has all of them is up to date with the initial migration. */
export const replacedMigrations: readonly string[] = [
  '20261123000000_init',
  '20261123100000_write_positions',
  '20261123120000_one_time_links',
  '20261123200000_account_rows',
  '20261124100000_second_factors',
  '20261124140000_secret_last_characters',
  '20261124150000_audit_filters',
  '20261124160000_employee_attributes',
  '20261124200000_single_sign_on',
  '20261125100000_employee_manager',
  '20261125110000_directory',
  '20261125120000_employee_imports',
  '20261126120000_events',
  '20261127100000_directory_indexes',
  '20261128090000_events_on_workers',
  '20261129100000_email_filter',
  '20261129110000_erase_audit_details',
  '20261129210000_verified_addresses',
];

/** Difference between the migrations of the database and of the code. */
interface MigrationState {
  /** Migrations to apply, in order. */
  readonly pending: readonly MigrationFile[];
  /** The initial migration, if the database has its schema from the migrations that it replaces. */
  readonly adopted: MigrationFile | undefined;
  /** Names of the migrations that a later version of the code has applied. They are compatible with this version. */
  readonly later: readonly string[];
}

/**
 * Compares the migrations of the database with those of the code.
 *
 * @throws {MigrationError} when a migration failed, was changed after it was applied, is unknown although it is not newer than
 *   those of the code, or is not applied although a newer one is; or when some of the replaced migrations are not applied
 */
export function compareMigrations(
  files: readonly MigrationFile[],
  applied: readonly AppliedMigration[],
): MigrationState {
  const notApplied = new Map(files.map((file) => [file.name, file]));
  const notReplaced = new Set(replacedMigrations);
  const unknown: string[] = [];
  let newestApplied = '';
  for (const { name, checksum, finished } of applied) {
    if (!finished) {
      throw new MigrationError(
        `The migration ${name} failed before: repair the database, then mark it with "npx prisma migrate resolve"`,
      );
    }
    if (notReplaced.delete(name)) continue;
    const file = notApplied.get(name);
    if (file !== undefined && !matchesChecksum(file.script, checksum)) {
      throw new MigrationError(
        `The migration ${name} was changed after it was applied: restore it and put the change in a new one`,
      );
    }
    if (file === undefined) unknown.push(name);
    else if (name > newestApplied) newestApplied = name;
    notApplied.delete(name);
  }
  const [missing] = notReplaced;
  if (missing !== undefined && notReplaced.size < replacedMigrations.length) {
    throw new MigrationError(
      `The database lacks the migration ${missing}: upgrade it with the previous version first`,
    );
  }
  const newest = files.at(-1)?.name ?? '';
  const foreign = notApplied.size > 0 ? unknown[0] : unknown.find((name) => name < newest);
  if (foreign !== undefined) {
    throw new MigrationError(
      `The database has the migration ${foreign}, which the code does not have: use the version of the code that created it`,
    );
  }
  const adopted = missing === undefined ? notApplied.get(initialMigration) : undefined;
  notApplied.delete(adopted?.name ?? '');
  const pending = [...notApplied.values()];
  const older = pending.find(({ name }) => name < newestApplied);
  if (older !== undefined) {
    throw new MigrationError(
      `The migration ${older.name} is older than ${newestApplied}, which was applied: rename it with a later date`,
    );
  }
  return { pending, adopted, later: unknown };
}
