import { migrate } from '../../../src/platform/database/migrate.js';
import { migrationsDirectory, readMigrations } from '../../../src/platform/database/migrations.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../../support/database/database.js';
import { createDatabaseUser } from '../../support/database/database-user.js';
import { administrativeUrlOf } from '../../support/database/direct-url.js';
import { runCommandHere } from '../../support/processes/cli.js';
import { startServerProcess } from '../../support/processes/server-process.js';
import t from '../../support/tap.js';

const onPostgresql = { skip: testServer === undefined && 'the embedded database has no URL' };

/** A URL without a server. */
const unreachable = 'postgres://user:very-secret@127.0.0.1:1/people';

t.test('servers that start concurrently on an empty database migrate it once', onPostgresql, async (t) => {
  const user = await createDatabaseUser(t, testServer ?? '');
  const { databaseUrl } = user.options;
  const environment = { DIRECT_DATABASE_URL: administrativeUrlOf(databaseUrl) };
  await Promise.all([1, 2, 3].map(() => startServerProcess(t, { databaseUrl, environment })));
  const applied = await user.asAdministrator(
    'SELECT migration_name AS name FROM _prisma_migrations WHERE finished_at IS NOT NULL ORDER BY 1',
  );
  t.same(
    applied,
    (await readMigrations(migrationsDirectory)).map(({ name }) => ({ name })),
  );
  const locks = await user.asAdministrator(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory'
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  t.same(locks, [], 'no session holds the lock');
});

t.test(
  'migrations use DIRECT_DATABASE_URL, and report a failed connection with one line that names it',
  onPostgresql,
  async (t) => {
    const { databaseUrl = '', dataDir } = await createTestDatabase(t, { empty: true });
    const wrongUser = Object.assign(new URL(administrativeUrlOf(databaseUrl)), {
      username: 'no_such_user',
      password: 'very-secret',
    }).toString();
    for (const directDatabaseUrl of [unreachable, wrongUser]) {
      const { code, stderr } = await runCommandHere({ databaseUrl, directDatabaseUrl, dataDir }, ['migrate']);
      t.equal(code, 1);
      t.match(stderr, /^DIRECT_DATABASE_URL: [^\n]+\n$/);
      t.notMatch(stderr, /very-secret/);
    }
  },
);

t.test('an up-to-date database needs no DIRECT_DATABASE_URL', onPostgresql, async (t) => {
  const options = await createTestDatabase(t);
  const database = await openDatabase({ ...options, directDatabaseUrl: unreachable });
  t.teardown(() => database.close());
  t.same(await migrate(database), []);
});
