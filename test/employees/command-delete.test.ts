import type { Database } from '../../src/platform/database/client.js';
import { createTestDatabase } from '../support/database/database.js';
import { openForCommands, runCommandHere } from '../support/processes/cli.js';
import { checkTree } from '../support/records/employee-tree.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const run = (args: readonly string[]) => runCommandHere(options, ['employees', 'delete', ...args]);

/** Opens the database between two commands. */
async function withDatabase<Result>(use: (database: Database) => Promise<Result>): Promise<Result> {
  const database = await openForCommands(options);
  try {
    return await use(database);
  } finally {
    await database.close();
  }
}

/** An account with employees of these numbers; the first is the manager of the others. */
const newAccount = (...numbers: string[]) =>
  withDatabase(async (database) => {
    const employees = makeEmployees(numbers.length).map((employee, index) => ({
      ...employee,
      employeeNumber: numbers[index] ?? '',
      firstName: 'Ada',
      lastName: 'Lovelace',
    }));
    const { accountId, employeeIds } = await createTenant(database, { employees });
    await database.prisma.employee.updateMany({
      where: { accountId, id: { in: employeeIds.slice(1) } },
      data: { managerId: String(employeeIds[0]) },
    });
    return { accountId, ids: employeeIds };
  });

const state = (accountId: string) =>
  withDatabase(async ({ prisma }) => ({
    employees: await prisma.employee.findMany({
      where: { accountId },
      select: { employeeNumber: true, managerId: true },
      orderBy: { employeeNumber: 'asc' },
    }),
    events: await prisma.auditEvent.findMany({ where: { accountId } }),
  }));

t.test('deletes employees by number and by id, and audits each of them', async (t) => {
  const { accountId, ids } = await newAccount('E1', 'E2', 'E3');
  const result = await run(['E1', String(ids[1]), 'E1', '--account', accountId]);
  t.same(result, { code: 0, stdout: 'E1 Ada Lovelace\nE2 Ada Lovelace\nDeleted 2 employees.\n', stderr: '' });
  const { employees, events } = await state(accountId);
  t.same(employees, [{ employeeNumber: 'E3', managerId: null }]);
  const eventOf = (id: string | undefined) =>
    events.filter(({ details }) => (details as Record<string, string>).employee === id);
  const byOperator = { userId: null, address: null, applicationId: null };
  t.match(
    [eventOf(ids[0]), eventOf(ids[1]), eventOf(ids[2])],
    [
      [{ ...byOperator, type: 'employee.deleted', details: { direct_reports: '2' } }],
      [{ ...byOperator, type: 'employee.deleted' }],
      // The report that is not deleted.
      [{ ...byOperator, type: 'employee.updated', details: { manager_id: `${ids[0]} → –` } }],
    ],
  );
  t.equal(events.length, 3);
  await withDatabase((database) => checkTree(t, database));
});

t.test('prints JSON', async (t) => {
  const { accountId, ids } = await newAccount('E1', 'E2');
  const expected = [{ id: ids[0], employee_number: 'E1' }];
  const dry = await run(['E1', '--account', accountId, '--json', '--dry-run']);
  t.same(JSON.parse(dry.stdout), { employees: expected, dry_run: true });
  const result = await run(['E1', '--account', accountId, '--json']);
  t.same(JSON.parse(result.stdout), { employees: expected, dry_run: false });
});

t.test('a dry run deletes nothing', async (t) => {
  const { accountId } = await newAccount('E1', 'E2');
  const before = await state(accountId);
  const result = await run(['E1', '--account', accountId, '--dry-run']);
  t.match(result, { code: 0, stdout: 'E1 Ada Lovelace\nWould delete 1 employee; nothing was deleted.\n' });
  t.same(await state(accountId), before);
});

t.test('deletes nothing when an employee is unknown or of another account', async (t) => {
  const { accountId } = await newAccount('E1', 'E2');
  const other = await newAccount('X1');
  const before = [await state(accountId), await state(other.accountId)];
  for (const [index, reference] of ['X1', String(other.ids[0]), 'e1', '', "'; --", 'E1\u001b[2J'].entries())
    for (const more of index === 0 ? [[], ['--dry-run'], ['--json']] : [[]]) {
      const result = await run(['E1', reference, '--account', accountId, ...more]);
      t.equal(result.code, 1, reference);
      t.equal(result.stdout, '');
      t.match(result.stderr, /Unknown employees: .*; nothing was deleted/);
      t.notMatch(result.stderr, '\u001b');
    }
  t.same([await state(accountId), await state(other.accountId)], before);
});

t.test('deletes nothing when the number of one employee is the id of another', async (t) => {
  const { accountId, ids } = await newAccount('E1', 'E2');
  await withDatabase(({ prisma }) =>
    prisma.employee.updateMany({
      where: { accountId, employeeNumber: 'E2' },
      data: { employeeNumber: String(ids[0]) },
    }),
  );
  const result = await run([String(ids[0]), '--account', accountId]);
  t.equal(result.code, 1);
  t.match(result.stderr, 'Number of one employee and id of another');
  t.equal((await state(accountId)).employees.length, 2);
});

t.test('needs an account and an employee', async (t) => {
  t.match(await run(['E1']), { code: 2, stderr: /--account/ });
  t.match(await run(['--account', 'x']), { code: 2, stderr: /missing required argument 'employee'/ });
  t.match(await run(['E1', '--account', 'x']), { code: 1, stderr: /Unknown account x/ });
});
