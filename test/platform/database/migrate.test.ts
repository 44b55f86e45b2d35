import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Database, DatabaseOptions } from '../../../src/platform/database/client.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import {
  checksumOf,
  initialMigration,
  migrationsDirectory,
  readMigrations,
  replacedMigrations,
} from '../../../src/platform/database/migrations.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { noFilters, withEngine } from '../../../src/platform/database/schema-engine.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import {
  createTestDatabase,
  onEmbedded,
  openTestDatabase,
  testServer,
} from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { query } from '../../support/database/query.js';
import t, { type Test } from '../../support/tap.js';

// Opening a database takes longer than a test, so the tests share one.
const database = await openTestDatabase(t);
const original = JSON.stringify(await query(database, 'SELECT * FROM _prisma_migrations'));

/** Undoes what a test has changed. */
t.afterEach(async () => {
  await asOwner(database, 'DROP TABLE IF EXISTS next, half');
  await query(database, 'DELETE FROM _prisma_migrations');
  await query(
    database,
    'INSERT INTO _prisma_migrations SELECT * FROM jsonb_populate_recordset(NULL::_prisma_migrations, $1::text::jsonb)',
    [original],
  );
});

t.test('rejects tables of another application, and applies every migration once to no tables', async (t) => {
  const database = await openTestDatabase(t, { empty: true });
  await query(database, 'CREATE TABLE theirs (id int)');
  await rejectsInOneLine(t, migrate(database), /not empty/);
  await query(database, 'DROP TABLE theirs');
  const files = await readMigrations(migrationsDirectory);

  t.same(
    await migrate(database),
    files.map((file) => file.name),
  );
  t.same(await migrate(database), []);

  const applied = { finished: true, steps: 1 };
  t.same(
    await recorded(database),
    files.map(({ name, script }) => ({ name, checksum: checksumOf(script), ...applied })),
    'as Prisma records it',
  );
  t.equal(await database.prisma.account.count(), 0);
});

// Reading a schema needs the type "char", which the adapter for PostgreSQL does not support.
t.test('the migrations create the tables of the Prisma schema', onEmbedded, async (t) => {
  const session = await database.openMigrationSession();
  t.teardown(() => session.close());
  const schema = path.join(packageRoot, 'prisma/schema.prisma');
  const content = await readFile(schema, 'utf8');
  const compare = () =>
    withEngine(
      session.adapterFactory,
      async (engine) => {
        const files = [{ path: schema, content }];
        const { stdout } = await engine.diff({
          from: { tag: 'schemaDatasource', files, configDir: path.dirname(schema) },
          to: { tag: 'schemaDatamodel', files },
          script: true,
          exitCode: null,
          filters: noFilters,
        });
        return stdout ?? '';
      },
      [[schema, content]],
    );
  t.match((await compare()).trim(), /^(-- This is an empty migration\.)?$/);

  await query(database, 'ALTER TABLE reports RENAME COLUMN version TO other');
  t.match(await compare(), /ADD COLUMN +"version"/, 'the comparison detects a difference');
  await query(database, 'ALTER TABLE reports RENAME COLUMN other TO version');
});

t.test('a text column compares by code point', async (t) => {
  const others = await query(
    database,
    `SELECT table_name, column_name FROM information_schema.columns
     WHERE table_schema = 'public' AND data_type = 'text' AND collation_name IS DISTINCT FROM 'C'
       AND table_name <> '_prisma_migrations'`,
  );
  t.same(others, []);
});

t.test(
  'waits for a migration that another process applies, and does not mistake it for a failed one',
  {
    skip: testServer === undefined,
  },
  async (t) => {
    const other = await database.openMigrationSession();
    const connection = await other.adapterFactory.connect();
    await connection.executeScript('SELECT pg_advisory_lock(72707369)');
    const underWay =
      'UPDATE _prisma_migrations SET finished_at = NULL WHERE finished_at = (SELECT max(finished_at) FROM _prisma_migrations)';
    await database.prisma.$executeRawUnsafe(underWay);
    const waiting = migrate(database);
    // It waits for the lock, or has already failed.
    await Promise.race([waiting, untilWaitingForLock(database)]);
    await database.prisma.$executeRawUnsafe(
      'UPDATE _prisma_migrations SET finished_at = now() WHERE finished_at IS NULL',
    );
    await other.close();
    t.same(await waiting, []);
  },
);

async function untilWaitingForLock(database: Database): Promise<void> {
  const locks = `SELECT count(*)::int AS count FROM pg_locks
    WHERE locktype = 'advisory' AND NOT granted AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;
  while ((await query<{ count: number }>(database, locks))[0]?.count === 0);
}

t.test('processes that start together migrate once', { skip: testServer === undefined }, async (t) => {
  const databases = await openInProcesses(t, await createTestDatabase(t, { empty: true }));

  const applied = await Promise.all(databases.map((database) => migrate(database)));

  t.equal(applied.flat().length, (await readMigrations(migrationsDirectory)).length);
});

t.test(
  'applies new migrations to a database of an earlier version, which accepts them and logs it',
  async (t) => {
    const directory = await copyMigrations(t);
    await addMigration(directory, '99990101000000_next', 'CREATE TABLE next (id int);');
    t.same(await migrate(database, { directory }), ['99990101000000_next']);
    t.same(await query(database, 'SELECT * FROM next'), []);

    const warnings: unknown[] = [];
    const logger = { info() {}, warn: (details: object) => void warnings.push(details) };
    t.same(await migrate(database, { logger }), []);
    t.same(warnings, [{ migrations: ['99990101000000_next'] }]);
    t.same(await migrate(database, { directory }), [], 'the later version still starts');
  },
);

interface Rejection {
  /** Migrations that another version of the code has applied, besides those of this one. */
  readonly applied?: readonly string[];
  /** Recorded migrations of a database of the previous version. */
  readonly replaced?: readonly string[];
  /** Migrations of the code that are not applied. */
  readonly pending?: readonly string[];
  readonly message: RegExp;
}

const unknown = (name: string) => new RegExp(`has the migration ${name}, which the code does not have`);
const allBut = (missing: string) => ({
  replaced: replacedMigrations.filter((name) => name !== missing),
  message: new RegExp(`lacks the migration ${missing}: upgrade it with the previous version first$`),
});

const rejections: Readonly<Record<string, Rejection>> = {
  'a database with an unknown migration that is older than a known one': {
    applied: ['20260302500000_theirs'],
    message: unknown('20260302500000_theirs'),
  },
  'a database that lacks a migration and has an unknown later one': {
    applied: ['99990101000000_theirs'],
    pending: ['99990102000000_ours'],
    message: unknown('99990101000000_theirs'),
  },
  'a migration that is older than the last one that was applied': {
    pending: ['20260302500000_older'],
    message: /^The migration 20260302500000_older is older than \d+_\w+, which was applied: rename it/,
  },
  'a database that lacks a migration of the previous version': allBut(replacedMigrations[3] ?? ''),
  'a database that lacks the last migration of the previous version': allBut(replacedMigrations.at(-1) ?? ''),
  'a database of the previous version with an unknown migration': {
    replaced: [...replacedMigrations, '20261124000000_theirs'],
    message: unknown('20261124000000_theirs'),
  },
  'a database of the previous version with an unknown later migration': {
    replaced: [...replacedMigrations, '99990101000000_theirs'],
    message: unknown('99990101000000_theirs'),
  },
};

for (const [name, { applied = [], replaced, pending = [], message }] of Object.entries(rejections)) {
  t.test(`rejects ${name}`, async (t) => {
    if (replaced !== undefined) await recordReplaced(database, replaced);
    await record(database, applied);
    const before = await recorded(database);
    await rejectsInOneLine(t, migrate(database, { directory: await copyMigrations(t, pending) }), message);
    t.same(await recorded(database), before, 'no migration is applied');
  });
}

t.test('a migration that databases have applied is not edited, comments included', async (t) => {
  const [initial] = await readMigrations(migrationsDirectory);
  t.equal(initial?.name, initialMigration);
  t.equal(
    checksumOf(initial?.script ?? ''),
    'c8e5a494bf992014ee2c5e1198d5816656174ff01673b85fe2ed943afc946360',
  );
});

t.test('does not change a database of the previous version while no migration is pending', async (t) => {
  await recordReplaced(database, replacedMigrations);
  await database.prisma.account.create({ data: { id: 'acme', name: 'Acme', employeePrefix: 'acme0000' } });
  const directory = await copyInitialMigration(t);
  const messages: unknown[] = [];
  const log = (details: object) => void messages.push(details);

  t.same(await migrate(database, { directory, logger: { info: log, warn: log } }), []);
  t.same(messages, []);
  t.same(
    await recorded(database),
    replacedMigrations.map((name) => ({ name, checksum: 'replaced', finished: true, steps: 1 })),
  );
  t.equal(await database.prisma.account.count(), 1);
});

// A migration of this version is applied also when its date is before that of the last replaced one.
const next = '20261126000000_next';

t.test('applies new migrations to a database of the previous version, and keeps its records', async (t) => {
  t.ok(next < (replacedMigrations.at(-1) ?? ''));
  await recordReplaced(database, replacedMigrations);
  const directory = await copyInitialMigration(t);
  await addMigration(directory, next, 'CREATE TABLE next (id int);');

  t.same(await migrate(database, { directory }), [next]);
  t.same(await migrate(database, { directory }), []);
  t.same(await query(database, 'SELECT * FROM next'), []);
  const [initial, added] = await readMigrations(directory);
  const applied = { finished: true, steps: 1 };
  t.same(await recorded(database), [
    ...replacedMigrations.map((name) => ({ name, checksum: 'replaced', ...applied })),
    { name: initialMigration, checksum: checksumOf(initial?.script ?? ''), ...applied },
    { name: next, checksum: checksumOf(added?.script ?? ''), ...applied },
  ]);
});

t.test(
  'processes that start together on a database of the previous version apply a new migration once',
  { skip: testServer === undefined },
  async (t) => {
    const databases = await openInProcesses(t, await createTestDatabase(t));
    const [first] = databases as [Database];
    await recordReplaced(first, replacedMigrations);
    const directory = await copyInitialMigration(t);
    await addMigration(directory, next, 'CREATE TABLE next (id int);');

    const applied = await Promise.all(databases.map((database) => migrate(database, { directory })));

    t.same(applied.flat(), [next]);
    t.same(
      (await recorded(first)).map(({ name }) => name),
      [...replacedMigrations, initialMigration, next],
    );
  },
);

t.test('rejects a database in which the migration of a later version has failed', async (t) => {
  const directory = await copyMigrations(t);
  await addMigration(directory, '99990101000000_next', 'SELECT no_such_function();');
  await rejectsInOneLine(t, migrate(database, { directory }), /no_such_function/);

  const again = { postgresql: /99990101000000_next failed before/, embedded: undefined }[database.kind];
  if (again === undefined) t.same(await migrate(database), [], 'the embedded database keeps nothing of it');
  else await rejectsInOneLine(t, migrate(database), again);
});

t.test('a failed migration changes nothing, and can be retried once its cause is resolved', async (t) => {
  const directory = await copyMigrations(t);
  const script = 'CREATE TABLE half (id int);\nSELECT no_such_function();';
  await addMigration(directory, '99990101000000_broken', script);
  const again = {
    // The failed migration stays recorded for the operator.
    postgresql: /99990101000000_broken failed before/,
    embedded: /could not be migrated: .*no_such_function/,
  };

  await rejectsInOneLine(t, migrate(database, { directory }), /could not be migrated: .*no_such_function/);
  await rejectsInOneLine(t, migrate(database, { directory }), again[database.kind]);
  t.same(await query(database, `SELECT to_regclass('half')::text AS half`), [{ half: null }]);

  if (database.kind === 'postgresql') {
    await query(database, 'UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL');
  }
  await writeFile(path.join(directory, '99990101000000_broken/migration.sql'), 'CREATE TABLE half (id int);');
  t.same(await migrate(database, { directory }), ['99990101000000_broken']);
});

t.test('rejects a migration that was changed after it was applied', async (t) => {
  const directory = await copyMigrations(t);
  const [first] = await readMigrations(directory);
  const file = path.join(directory, first?.name ?? '', 'migration.sql');

  await writeFile(file, `${await readFile(file, 'utf8')}\n-- changed`);
  await rejectsInOneLine(t, migrate(database, { directory }), /was changed after it was applied/);

  await writeFile(file, (first?.script ?? '').replaceAll('\n', '\r\n'));
  t.same(await migrate(database, { directory }), [], 'other line endings are not a change');
});

/** Opens a database four times, as four processes do. */
async function openInProcesses(t: Test, options: DatabaseOptions): Promise<Database[]> {
  const databases = await Promise.all(Array.from({ length: 4 }, () => openDatabase(options)));
  t.teardown(() => Promise.all(databases.map((database) => database.close())));
  return databases;
}

/** Makes a database one that the previous version has migrated: its schema is the same. */
async function recordReplaced(database: Database, names: readonly string[]): Promise<void> {
  await query(database, 'DELETE FROM _prisma_migrations');
  await record(database, names);
}

/** Records migrations as applied. */
async function record(database: Database, names: readonly string[]): Promise<void> {
  await query(
    database,
    `INSERT INTO _prisma_migrations (id, migration_name, checksum, started_at, finished_at, applied_steps_count)
     SELECT gen_random_uuid(), name, 'replaced', '2026-11-24', '2026-11-24', 1 FROM unnest($1::text[]) name`,
    [names],
  );
}

/** The migrations that a database has recorded, in the order in which they were applied. */
function recorded(database: Database) {
  return query<{ name: string; checksum: string; finished: boolean; steps: number }>(
    database,
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished, applied_steps_count AS steps
     FROM _prisma_migrations ORDER BY started_at, migration_name`,
  );
}

/** Copies the migrations, and adds some that change nothing. */
async function copyMigrations(t: Test, added: readonly string[] = []): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'people-api-migrations-'));
  t.teardown(() => rm(directory, { recursive: true }));
  await cp(migrationsDirectory, directory, { recursive: true });
  for (const name of added) await addMigration(directory, name, 'SELECT 1;');
  return directory;
}

/** The migrations without those after the initial one, whose schema the databases of the tests already have. */
async function copyInitialMigration(t: Test): Promise<string> {
  const directory = await copyMigrations(t);
  const later = (await readMigrations(directory)).filter(({ name }) => name !== initialMigration);
  for (const { name } of later) await rm(path.join(directory, name), { recursive: true });
  return directory;
}

async function addMigration(directory: string, name: string, script: string): Promise<void> {
  await mkdir(path.join(directory, name));
  await writeFile(path.join(directory, name, 'migration.sql'), script);
}

async function rejectsInOneLine(t: Test, promise: Promise<unknown>, message: RegExp): Promise<void> {
  const error = await t.rejects(promise, { name: 'MigrationError', message });
  t.notMatch(error, { message: /\n/ });
}
