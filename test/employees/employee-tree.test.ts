import { type AccountId, toAccountId } from '../../src/platform/accounts/account-id.js';
import { type Database, Prisma } from '../../src/platform/database/client.js';
import { randomId } from '../../src/platform/database/ids.js';
import { openTestDatabase, testServer } from '../support/database/database.js';
import { withForeignKeys } from '../support/database/foreign-keys.js';
import { asOwner } from '../support/database/owner.js';
import { query } from '../support/database/query.js';
import { checkTree } from '../support/records/employee-tree.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

const statuses = ['active', 'on_leave', 'inactive', 'terminated'];

const createAccount = async (database: Database) => (await createTenant(database)).accountId;

const newEmployees = (count: number) =>
  makeEmployees(count).map((employee) => ({ ...employee, employeeNumber: randomId() }));

/** A number from 0 to 1 for each employee, another one at each call. Citus rejects random() in a statement that writes. */
const randomNumber = () =>
  Prisma.sql`((hashtext(id || ${randomId()}::text)::float8 + 2147483648) / 4294967296)`;

t.test('counts stay exact through random inserts, deletes and updates', async (t) => {
  const database = await openTestDatabase(t);
  const accounts = [await createAccount(database), await createAccount(database)];

  for (let round = 0; round < 6; round += 1) {
    for (const accountId of accounts) {
      await insertEmployees(database.prisma, accountId, newEmployees(1 + Math.floor(Math.random() * 150)));
    }
    await database.prisma
      .$executeRaw`DELETE FROM employees WHERE ${randomNumber()} < ${Math.random() ** 3 * 0.8}::float8`;
    await database.prisma.$executeRaw`
      UPDATE employees SET status = CASE WHEN ${randomNumber()} < 0.5 THEN 'active' ELSE 'on_leave' END, first_name = 'Changed'
      WHERE ${randomNumber()} < 0.1`;
    if (round % 2 === 1) await checkTree(t, database);
  }
});

t.test('finds the position at every offset, and nothing past the end', async (t) => {
  const database = await openTestDatabase(t);
  const accountId = await createAccount(database);
  // From the last positions of one node of the second level to the first ones of the next.
  await database.prisma.account.update({ where: { id: accountId }, data: { employeeSequence: 3_600n } });
  await insertEmployees(database.prisma, accountId, newEmployees(1_000));
  await database.prisma
    .$executeRaw`DELETE FROM employees WHERE position % 7 = 3 OR position BETWEEN 3900 AND 4200`;
  await checkTree(t, database);

  const [result] = await query<{ wrong: number; rows: number }>(
    database,
    `SELECT count(*) FILTER (WHERE employee_position_at(account_id, skip) IS DISTINCT FROM position)::int AS wrong,
       count(*)::int AS rows
     FROM (SELECT account_id, position, row_number() OVER (ORDER BY id) - 1 AS skip FROM employees) listed`,
  );
  t.match(result, { wrong: 0, rows: 599 });
  for (const skip of [599, 3000, 1_000_000_000, -1])
    t.equal(await positionAt(database, accountId, skip), null);
  t.equal(await positionAt(database, toAccountId('nobody'), 0), null);
});

t.test('the tree covers the last position that an id can have', async (t) => {
  const database = await openTestDatabase(t);
  const accountId = await createAccount(database);
  const last = 36n ** 8n - 3n;
  await insertEmployees(database.prisma, accountId, newEmployees(1));
  await database.prisma.account.update({ where: { id: accountId }, data: { employeeSequence: last } });
  const ids = await insertEmployees(database.prisma, accountId, newEmployees(3));

  t.match(ids.at(-1), /zzzzzzzz$/);
  t.equal(await positionAt(database, accountId, 1), last);
  t.equal(await positionAt(database, accountId, 3), last + 2n);
  await t.rejects(insertEmployees(database.prisma, accountId, newEmployees(1)), 'not beyond the limit');
  await checkTree(t, database);
});

t.test('deletes counts that reach zero', async (t) => {
  const database = await openTestDatabase(t);
  const accountId = await createAccount(database);
  await insertEmployees(database.prisma, accountId, newEmployees(100));
  await database.prisma.employee.deleteMany();
  t.equal(await database.prisma.employeeCount.count(), 0);
  t.equal(await database.prisma.employeeFacet.count(), 0);

  await insertEmployees(database.prisma, accountId, newEmployees(5));
  await asOwner(database, 'TRUNCATE employees');
  t.equal(await database.prisma.employeeCount.count(), 0);
});

t.test('deletes an account with all its rows', withForeignKeys, async (t) => {
  const database = await openTestDatabase(t);
  const [gone, kept] = [await createAccount(database), await createAccount(database)];
  for (const accountId of [gone, kept]) {
    await insertEmployees(database.prisma, accountId, newEmployees(70));
    await database.prisma.report.create({ data: { id: randomId(), accountId, title: 'Staff' } });
  }

  await database.prisma.account.delete({ where: { id: gone } });

  for (const table of [
    'employees',
    'employee_counts',
    'employee_facets',
    'employee_location_facets',
    'reports',
    'account_totals',
  ]) {
    t.same(await query(database, `SELECT DISTINCT account_id FROM ${table}`), [{ account_id: kept }]);
  }
  await checkTree(t, database);
});

t.test('a row cannot move to another account or position', async (t) => {
  const database = await openTestDatabase(t);
  const [accountId, other] = [await createAccount(database), await createAccount(database)];
  const [id = ''] = await insertEmployees(database.prisma, accountId, newEmployees(1));
  await database.prisma.report.create({ data: { id: 'staff', accountId, title: 'Staff' } });
  const message = { message: /id, account and position of a row of \w+ cannot be changed/ };
  // Citus does not allow a statement to name the account among the changes.
  const isDistributed = database.isDistributed();
  const ofAccount = isDistributed
    ? { message: /modifying the partition value of rows is not allowed/ }
    : message;

  const { employee, report } = database.prisma;
  await t.rejects(employee.updateMany({ where: { id }, data: { accountId: other } }), ofAccount);
  await t.rejects(employee.updateMany({ where: { id }, data: { position: 7n } }), message);
  await t.rejects(employee.updateMany({ where: { id }, data: { id: 'another' } }), message);
  await t.rejects(report.updateMany({ where: { id: 'staff' }, data: { accountId: other } }), ofAccount);
  await t.resolves(
    employee.updateMany({
      where: { id },
      data: { ...(!isDistributed && { accountId }), position: 0n, email: 'x@y.example' },
    }),
  );
});

t.test('reports are counted', async (t) => {
  const database = await openTestDatabase(t);
  const { prisma } = database;
  const accountId = await createAccount(database);
  const reports = ['a', 'b', 'c'].map((id) => ({ id, accountId, title: id }));
  await prisma.report.createMany({ data: reports });
  await prisma.report.deleteMany({ where: { id: 'b' } });
  const totals = () => prisma.accountTotals.findMany({ select: { accountId: true, reports: true } });
  t.same(await totals(), [{ accountId, reports: 2 }]);
  await prisma.report.deleteMany();
  t.same(await totals(), [{ accountId, reports: 0 }]);
});

t.test(
  'concurrent writers neither deadlock nor lose a count',
  { skip: testServer === undefined && 'the embedded database has one connection' },
  async (t) => {
    const database = await openTestDatabase(t);
    const accounts = [await createAccount(database), await createAccount(database)];
    const { prisma } = database;

    await Promise.all(
      Array.from({ length: 10 }, async (_, writer) => {
        for (let round = 0; round < 20; round += 1) {
          const accountId = accounts[(writer + round) % 2] ?? toAccountId('');
          const ids = await insertEmployees(prisma, accountId, newEmployees(1 + ((writer * round) % 90)));
          const victim = ids[round % ids.length] ?? '';
          await prisma.employee.updateMany({ where: { id: { in: ids } }, data: { status: pick(statuses) } });
          await prisma.employee.deleteMany({ where: { id: victim } });
          // Rows of both accounts that other transactions change concurrently.
          await prisma.employee.updateMany({
            where: { position: BigInt(round) },
            data: { status: pick(statuses) },
          });
          await prisma.employee.deleteMany({ where: { accountId, position: BigInt(writer * 40 + round) } });
        }
      }),
    );
    await checkTree(t, database);
  },
);

function pick(values: readonly string[]): string {
  return values[Math.floor(Math.random() * values.length)] ?? '';
}

async function positionAt(database: Database, accountId: AccountId, skip: number): Promise<bigint | null> {
  const [row] = await query<{ position: string | null }>(
    database,
    'SELECT employee_position_at($1, $2)::text AS position',
    [accountId, skip],
  );
  return row?.position == null ? null : BigInt(row.position);
}
