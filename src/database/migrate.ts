import type { Database, DatabaseLogger, MigrationSession } from './client.js';
import { describeError } from './database-errors.js';
import { type MigrationFile, migrationsDirectory, readMigrations } from './migration-files.js';
import {
  type AppliedMigration,
  appliedMigrationsQuery,
  compareMigrations,
  MigrationError,
} from './migration-state.js';

export { MigrationError } from './migration-state.js';

export interface MigrateOptions {
  /** Where the migrations are; by default those of this package. */
  readonly directory?: string;
  readonly logger?: DatabaseLogger;
}

// The lock that Prisma's own command takes, so that it and this service wait for each other too. Locks nest
// within a session, and this one ends with it.
const advisoryLock = 72_707_369;

/**
 * Brings the tables to this version of the code. Any number of processes may call it at once: one works, the
 * others wait for it. An up-to-date database costs one query. One that a later version has migrated is served as it is.
 *
 * @returns the names of the migrations applied.
 * @throws {MigrationError} one line, when the database is of another line of versions, broken half-way, or a migration
 *   fails.
 * @throws {DatabaseOpenError} one line, when the session for migrations cannot be opened, or row-level security does not
 *   isolate the accounts and that is not allowed
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const applied = await bringUpToDate(database, options);
  // The migrations may have created the policies and the role, in this process or in another.
  await database.checkIsolation();
  return applied;
}

async function bringUpToDate(
  database: Database,
  { directory = migrationsDirectory, logger }: MigrateOptions,
): Promise<string[]> {
  const files = await readMigrations(directory);
  const compare = (applied: readonly AppliedMigration[]) => {
    const { pending, later } = compareMigrations(files, applied);
    if (later.length > 0)
      logger?.warn({ migrations: later }, 'the database was migrated by a later version of the service');
    return pending;
  };
  const before = await readApplied(database);
  // Until the lock is ours, a migration that another process is at looks like one that failed.
  const settled = before.every(({ finished }) => finished);
  if (settled && compare(before).length === 0) return [];

  const session = await database.openMigrationSession();
  try {
    if (database.kind === 'postgresql') await takeLock(session);
    else await forgetUnfinished(database);
    // Another process may have done the work while this one waited for the lock.
    if (compare(await readApplied(database)).length === 0) return [];
    const applied = await apply(session, directory, files);
    logger?.info({ migrations: applied }, 'the database was migrated');
    return applied;
  } finally {
    await session.close();
  }
}

async function readApplied(database: Database): Promise<AppliedMigration[]> {
  const [table] = await database.prisma.$queryRaw<{ exists: boolean }[]>`
    SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`;
  return table?.exists ? database.prisma.$queryRaw<AppliedMigration[]>(appliedMigrationsQuery) : [];
}

/**
 * Marks unfinished migrations of the embedded database as rolled back. No other process runs one, they have stored nothing,
 * and no other tool could mark them.
 */
async function forgetUnfinished(database: Database): Promise<void> {
  if ((await readApplied(database)).every(({ finished }) => finished)) return;
  await database.prisma.$executeRaw`
    UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL`;
}

async function takeLock(session: MigrationSession): Promise<void> {
  const connection = await session.adapterFactory.connect();
  await connection.executeScript(`SELECT pg_advisory_lock(${advisoryLock})`);
}

async function apply(
  session: MigrationSession,
  directory: string,
  files: readonly MigrationFile[],
): Promise<string[]> {
  // A megabyte of WebAssembly that most starts do not need.
  const { applyMigrations } = await import('./schema-engine.js');
  try {
    return await applyMigrations(session.adapterFactory, directory, files);
  } catch (error) {
    throw new MigrationError(`The database could not be migrated: ${describeError(error)}`, { cause: error });
  }
}
