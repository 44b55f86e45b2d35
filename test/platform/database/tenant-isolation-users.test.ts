import type { Database } from '../../../src/platform/database/client.js';
import { migrate } from '../../../src/platform/database/migrate.js';
import { openDatabase } from '../../../src/platform/database/open-database.js';
import {
  accountScope,
  allAccounts,
  noAccount,
  type TenantScope,
  withScope,
} from '../../../src/platform/database/scope.js';
import { testServer } from '../../support/database/database.js';
import {
  createDatabaseUser,
  type DatabaseUser,
  grantTenantRole,
} from '../../support/database/database-user.js';
import { query } from '../../support/database/query.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import { captureLog } from '../../support/server/captured-log.js';
import t, { type Test } from '../../support/tap.js';

/** The warning that is logged without tenant isolation. */
const warning = /row-level security does not isolate the accounts/;

if (testServer === undefined) {
  t.pass('the embedded database has one user');
} else {
  const serverUrl: string = testServer;

  t.test('policies apply to an unprivileged user that owns the tables', async (t) => {
    const user = await createDatabaseUser(t, serverUrl);
    const { database, warnings } = await open(t, user);
    t.same(await identity(database), { role: user.name, rolsuper: false, rolbypassrls: false, owns: true });
    await isBound(t, database);
    t.same(warnings(), []);
  });

  t.test('an owner who truncates a table without a scope deletes its counts too', async (t) => {
    const user = await createDatabaseUser(t, serverUrl);
    const { database } = await open(t, user);
    const [own] = await fill(database);
    await withScope(allAccounts, () =>
      database.prisma.report.create({ data: { id: 'r', accountId: own?.accountId ?? '', title: 'Staff' } }),
    );
    await query(database, 'TRUNCATE employees, reports');
    await withScope(allAccounts, async () => {
      const { prisma } = database;
      t.equal(await prisma.employeeCount.count(), 0);
      t.equal(await prisma.employeeFacet.count(), 0);
      t.equal(await prisma.accountTotals.count({ where: { reports: { gt: 0 } } }), 0);
    });
  });

  t.test('the function that runs as the owner cannot be called by other users', async (t) => {
    const user = await createDatabaseUser(t, serverUrl);
    await open(t, user);
    const mayCall = (role: string) =>
      user.asAdministrator(
        `SELECT has_function_privilege('${role}', 'employee_position_at(text, bigint)', 'EXECUTE') AS may`,
      );
    t.same(await mayCall('pg_monitor'), [{ may: false }]);
    t.same(await mayCall(user.name), [{ may: true }]);
  });

  t.test('logs a warning for a user with BYPASSRLS that may not set the role', async (t) => {
    const user = await createDatabaseUser(t, serverUrl, 'BYPASSRLS NOCREATEROLE');
    const { database, warnings } = await open(t, user);
    t.match(await identity(database), { role: user.name, rolbypassrls: true });
    await fill(database);
    t.equal((await employees(database, noAccount)).length, 6);
    t.equal(warnings().length, 1, 'once');
    t.match(warnings()[0], warning);
  });

  t.test('policies apply to a user with BYPASSRLS that was granted the role', async (t) => {
    const user = await createDatabaseUser(t, serverUrl, 'BYPASSRLS NOCREATEROLE');
    await grantTenantRole(user);
    const { database, warnings } = await open(t, user);
    t.match(await identity(database), { role: 'people_api_tenant', rolbypassrls: false, owns: false });
    await isBound(t, database);
    t.same(warnings(), []);
  });
}

/** Opens the database as the server does, and creates its tables as the user. */
async function open(t: Test, { options }: DatabaseUser) {
  const { logger, lines } = captureLog('warn');
  const database = await openDatabase({ ...options, logger, poolSize: 2 });
  t.teardown(() => database.close());
  await migrate(database);
  // As many concurrent queries as there are connections.
  await Promise.all([0, 1].map(() => query(database, 'SELECT pg_sleep(0.02)::text')));
  return { database, warnings: () => lines.filter((line) => line.includes('row-level security')) };
}

async function identity(database: Database) {
  const [row] = await query(
    database,
    `SELECT rolname::text AS role, rolsuper, rolbypassrls,
       EXISTS (SELECT FROM pg_class WHERE relowner = pg_roles.oid) AS owns
     FROM pg_roles WHERE rolname = current_user`,
  );
  return row;
}

/** Creates two accounts with employees. */
function fill(database: Database) {
  return withScope(allAccounts, async () => [
    await createTenant(database, { employees: makeEmployees(3) }),
    await createTenant(database, { employees: makeEmployees(3) }),
  ]);
}

async function employees(database: Database, scope: TenantScope): Promise<string[]> {
  const rows = await withScope(scope, () => query<{ id: string }>(database, 'SELECT id FROM employees'));
  return rows.map(({ id }) => id);
}

async function isBound(t: Test, database: Database): Promise<void> {
  const [own, foreign] = await fill(database);
  t.same(await employees(database, noAccount), [], 'no rows without a scope');
  t.same(await query(database, 'SELECT id FROM employees'), []);
  t.same(
    (await employees(database, accountScope(own?.accountId ?? ''))).sort(),
    [...(own?.employeeIds ?? [])].sort(),
  );
  t.equal((await employees(database, allAccounts)).length, 6);
  const changed = await withScope(accountScope(own?.accountId ?? ''), () =>
    query(database, 'DELETE FROM employees WHERE id = ANY ($1) RETURNING id', [foreign?.employeeIds]),
  );
  t.same(changed, [], 'no row of another account is changed');
}
