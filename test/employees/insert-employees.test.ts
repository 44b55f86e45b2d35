import { insertEmployees as insertEmployeesIn } from '../../src/features/employees/insert-employees.js';
import { toAccountId } from '../../src/platform/accounts/account-id.js';
import { lockAccount } from '../../src/platform/changes/locks.js';
import { databaseErrorKind, violatedUniqueConstraint } from '../../src/platform/database/database-errors.js';
import {
  employeeId,
  employeePosition,
  randomEmployeePrefix,
  randomId,
} from '../../src/platform/database/ids.js';
import { openTestDatabase } from '../support/database/database.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

t.test('ids are unique, ascending and continue after the last one', async (t) => {
  const database = await openTestDatabase(t);
  const { accountId } = await createTenant(database);
  const { prisma } = database;

  const ids = await prisma.$transaction((tx) => insertEmployeesIn(tx, accountId, makeEmployees(25), 10));
  ids.push(...(await insertEmployees(prisma, accountId, makeEmployees(10))));

  t.same(ids, [...new Set(ids)].sort());
  const stored = await prisma.employee.findMany({ orderBy: { position: 'asc' }, select: { id: true } });
  t.same(
    stored.map(({ id }) => id),
    ids,
  );
  t.same(await insertEmployees(prisma, accountId, []), []);
});

t.test('stores every value unchanged, quotes included', async (t) => {
  const database = await openTestDatabase(t);
  const { accountId } = await createTenant(database);
  const dates = {
    createdAt: new Date('2020-02-29T23:59:59.999Z'),
    updatedAt: new Date('2026-01-01T00:00:00.001Z'),
  };
  const names = { firstName: `{"Zoë",\\ 'O`, lastName: '山田; DROP TABLE', department: 'NULL', status: '' };
  const work = { jobTitle: `"Head" of \\ 'R&D'`, location: 'Zürich' };
  const row = { ...names, ...work, ...dates, employeeNumber: '007', email: 'zoe@company.example' };

  const [id = ''] = await insertEmployees(database.prisma, accountId, [row]);

  t.same(await database.prisma.employee.findFirst({ where: { id } }), {
    id,
    accountId,
    position: 0n,
    hireDate: null,
    terminationDate: null,
    managerId: null,
    custom: null,
    ...row,
  });
});

t.test('inserts all or none, and a failure takes no positions', async (t) => {
  const database = await openTestDatabase(t);
  const { accountId } = await createTenant(database);
  const rows = makeEmployees(3);
  await insertEmployees(database.prisma, accountId, rows);

  const error: unknown = await insertEmployees(database.prisma, accountId, [
    ...makeEmployees(2),
    ...rows.slice(0, 1),
  ]).catch((reason: unknown) => reason);

  t.equal(databaseErrorKind(error), 'constraint');
  // A worker of Citus names the constraint of the part of the table that it has.
  if (!database.isDistributed())
    t.equal(violatedUniqueConstraint(error), 'employees_account_id_employee_number_key');
  t.equal(await database.prisma.employee.count(), 3);
  t.match(await insertEmployees(database.prisma, accountId, makeEmployees(1)), [/00000003$/]);
  await t.rejects(insertEmployees(database.prisma, toAccountId('nobody'), rows));
});

t.test('works inside a transaction of the caller', async (t) => {
  const database = await openTestDatabase(t);
  const { accountId } = await createTenant(database);
  const { prisma } = database;

  const undone = prisma.$transaction(async (tx) => {
    t.equal(await lockAccount(tx, accountId), true);
    t.equal(await lockAccount(tx, toAccountId('nobody')), false);
    await insertEmployeesIn(tx, accountId, makeEmployees(5));
    t.equal(await tx.employee.count(), 5);
    // A savepoint, which is rolled back alone.
    await tx
      .$transaction(async (inner) => {
        await inner.employee.deleteMany();
        throw new Error('inner');
      })
      .catch(() => {});
    t.equal(await tx.employee.count(), 5);
    throw new Error('undo');
  });

  await t.rejects(undone, { message: 'undo' });
  t.equal(await prisma.employee.count(), 0);
  t.equal(await prisma.employeeCount.count(), 0);
});

t.test('the position of an employee is computed from its id', async (t) => {
  const prefix = randomEmployeePrefix();
  for (const position of [0n, 1n, 35n, 36n, 10n ** 9n, 36n ** 8n - 1n]) {
    const id = employeeId(prefix, position);
    t.equal(id.length, 16);
    t.equal(employeePosition(id), Number(position));
  }
  for (const id of ['', 'short', `${prefix}0000000Z`, `${prefix}000000000`, `${prefix}0000 000`]) {
    t.equal(employeePosition(id), -1);
  }
});

t.test('random ids have the requested length and use the whole alphabet', async (t) => {
  const ids = Array.from({ length: 500 }, () => randomId());
  t.equal(new Set(ids).size, 500);
  t.ok(ids.every((id) => /^[a-z0-9]{25}$/.test(id)));
  t.equal(new Set(ids.join('')).size, 36);
  t.equal(randomId(52).length, 52);
});
