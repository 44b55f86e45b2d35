import type { Logger } from '../logger.js';
import type { Database, MigrationSession } from './client.js';
import { describeError } from './database-errors.js';
import {
  type AppliedMigration,
  appliedMigrationsQuery,
  checksumOf,
  compareMigrations,
  MigrationError,
  type MigrationFile,
  migrationsDirectory,
  readMigrations,
} from './migrations.js';

export { MigrationError } from './migrations.js';

interface MigrateOptions {
  /** Directory of the migrations. Default: those of this package. */
  readonly directory?: string;
  readonly logger?: Logger;
}

// The lock of `prisma migrate`, so that it and this service exclude each other. A session can take it several times and
// releases it at its end.
const advisoryLock = 72_707_369;

/**
 * Applies the pending migrations. When several processes call it, one applies them and the others wait. An up-to-date
 * database costs a few queries. A database that a later version has migrated is not changed. In one that the previous version
 * has migrated, the initial migration is marked as applied before the first later one is applied.
 *
 * @returns names of the applied migrations
 * @throws {MigrationError} when the migrations of the database and of the code diverge, or a migration fails
 * @throws {DatabaseOpenError} when the session for migrations cannot be opened, or row-level security does not apply and
 *   `allowUnisolated` is not set
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<string[]> {
  const applied = await bringUpToDate(database, options);
  // The migrations may have created the policies and the role.
  await database.checkIsolation();
  return applied;
}

/**
 * Names of the migrations that {@link migrate} would apply.
 *
 * @throws {MigrationError} when the migrations of the database and of the code diverge
 */
export async function pendingMigrations(database: Database): Promise<readonly string[]> {
  const { pending } = compareMigrations(
    await readMigrations(migrationsDirectory),
    await readApplied(database),
  );
  return pending.map(({ name }) => name);
}

async function bringUpToDate(
  database: Database,
  { directory = migrationsDirectory, logger }: MigrateOptions,
): Promise<string[]> {
  const files = await readMigrations(directory);
  const compare = (applied: readonly AppliedMigration[]) => {
    const state = compareMigrations(files, applied);
    if (state.later.length > 0)
      logger?.warn(
        { migrations: state.later },
        'the database was migrated by a later version of the service',
      );
    return state;
  };
  const before = await readApplied(database);
  // Without the lock, a migration that another process is applying looks like a failed one.
  const settled = before.every(({ finished }) => finished);
  if (settled && compare(before).pending.length === 0) return [];

  const session = await database.openMigrationSession();
  try {
    if (database.kind === 'postgresql') await takeLock(session);
    else await rollBackUnfinished(database);
    // Another process may have applied them while this one waited for the lock.
    const { pending, adopted } = compare(await readApplied(database));
    if (pending.length === 0) return [];
    // Not without a pending migration: the previous version rejects a database that has the initial one.
    if (adopted !== undefined) await markApplied(session, adopted);
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
 * Marks unfinished migrations of the embedded database as rolled back. Their transactions were not committed, no other
 * process applies them, and `prisma migrate resolve` cannot open the database.
 */
async function rollBackUnfinished(database: Database): Promise<void> {
  if ((await readApplied(database)).every(({ finished }) => finished)) return;
  await database.prisma.$executeRaw`
    UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL AND rolled_back_at IS NULL`;
}

async function takeLock(session: MigrationSession): Promise<void> {
  const connection = await session.adapterFactory.connect();
  await connection.executeScript(`SELECT pg_advisory_lock(${advisoryLock})`);
}

/** Records a migration as applied. The migrations that it replaces stay recorded. */
async function markApplied(session: MigrationSession, { name, script }: MigrationFile): Promise<void> {
  const connection = await session.adapterFactory.connect();
  await connection.executeScript(`
    INSERT INTO _prisma_migrations (id, migration_name, checksum, finished_at, applied_steps_count)
    VALUES (gen_random_uuid(), '${name}', '${checksumOf(script)}', now(), 1)`);
}

async function apply(
  session: MigrationSession,
  directory: string,
  files: readonly MigrationFile[],
): Promise<string[]> {
  // Imported on demand: it loads a megabyte of WebAssembly.
  const { applyMigrations } = await import('./schema-engine.js');
  try {
    return await applyMigrations(session.adapterFactory, directory, files);
  } catch (error) {
    throw new MigrationError(`The database could not be migrated: ${describeError(error)}`, { cause: error });
  }
}
