import { migrate as migrateDatabase } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import { testServer } from '../../support/database/database.js';
import {
  createDatabaseUser,
  type DatabaseUser,
  grantTenantRole,
} from '../../support/database/database-user.js';
import { runCommandHere } from '../../support/processes/cli.js';
import { startServerProcess } from '../../support/processes/server-process.js';
import t, { type Test } from '../../support/tap.js';

/** The error line of a start that fails. */
const rejection = /[^\n]*row-level security[^\n]*ALLOW_UNISOLATED=true[^\n]*\n/;

const production = { NODE_ENV: 'production', ALLOW_HTTP: 'true', DEMO_DATA: 'false' };

if (testServer === undefined) {
  t.pass('the embedded database has one user');
} else {
  const serverUrl: string = testServer;
  /** A user that bypasses row-level security and may not set the role of the service. */
  const createUnisolatedUser = (t: Test) => createDatabaseUser(t, serverUrl, 'BYPASSRLS NOCREATEROLE');

  t.test(
    'a server in production does not start as a database user that bypasses row-level security',
    async (t) => {
      const user = await createUnisolatedUser(t);
      const message = new RegExp(`^The server ended with 1:\n${rejection.source}$`);
      await t.rejects(startServerProcess(t, serverOf(user)), { message });
    },
  );

  t.test('a command in production fails as a database user that bypasses row-level security', async (t) => {
    const user = await createUnisolatedUser(t);
    const { code, stderr } = await migrate(user);
    t.equal(code, 1);
    t.match(stderr, new RegExp(`^${rejection.source}$`));
    t.notMatch(stderr, new URL(user.options.databaseUrl).password, 'no password is printed');
  });

  t.test('a failed migration is reported instead of the database user', async (t) => {
    const { options, asAdministrator } = await createUnisolatedUser(t);
    const database = await openDatabase({ ...options, production: true });
    t.teardown(() => database.close());
    await t.rejects(migrateDatabase(database), { message: /row-level security/ });
    await asAdministrator('UPDATE _prisma_migrations SET finished_at = NULL');
    await t.rejects(migrateDatabase(database), { name: 'MigrationError' });
  });

  t.test('a server with ALLOW_UNISOLATED=true starts and logs a warning', async (t) => {
    const user = await createUnisolatedUser(t);
    const server = await startServerProcess(t, serverOf(user, { ALLOW_UNISOLATED: 'true' }));
    t.match(server.output(), /row-level security/);
    t.equal(await server.stop(), 0);
  });

  t.test('a server outside production starts and logs a warning', async (t) => {
    const user = await createUnisolatedUser(t);
    const server = await startServerProcess(t, serverOf(user, { NODE_ENV: '' }));
    t.match(server.output(), /row-level security/);
  });

  t.test('accepts a user that is subject to policies in production', async (t) => {
    const user = await createDatabaseUser(t, serverUrl);
    const server = await startServerProcess(t, serverOf(user));
    t.equal(server.output().includes('row-level security'), false);
  });

  t.test('policies on tables of other schemas do not prevent the first start', async (t) => {
    const superuser = await createDatabaseUser(t, serverUrl, 'SUPERUSER');
    await superuser.asAdministrator(
      'CREATE SCHEMA other; CREATE TABLE other.t (); ALTER TABLE other.t ENABLE ROW LEVEL SECURITY; CREATE POLICY p ON other.t',
    );
    const { code, stderr } = await migrate(superuser);
    t.same([code, stderr], [0, '']);
  });

  t.test('accepts a user that may set the role in production, from the first start on', async (t) => {
    const member = await createUnisolatedUser(t);
    await grantTenantRole(member);
    const superuser = await createDatabaseUser(t, serverUrl, 'SUPERUSER');
    for (const user of [member, superuser, member, superuser]) {
      const { code, stderr } = await migrate(user);
      t.same([code, stderr], [0, '']);
    }
  });
}

function serverOf({ options }: DatabaseUser, environment: Record<string, string> = {}) {
  return { databaseUrl: options.databaseUrl, environment: { ...production, ...environment } };
}

function migrate({ options }: DatabaseUser) {
  return runCommandHere(options, ['migrate'], '', production);
}
