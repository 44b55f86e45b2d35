import { openTestDatabase, testServer } from '../support/database/database.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

/** The embedded database needs minutes for this number of rows. */
const rows = testServer === undefined ? 150 : 10_000;

// One connection: the first change plans the statements of the triggers for one row.
const database = await openTestDatabase(t, { poolSize: 1, statementTimeoutMs: 15_000 });

t.test('a change of many employees after the change of a single one takes linear time', async (t) => {
  const { accountId, employeeIds } = await createTenant(database, { employees: makeEmployees(rows) });
  const { prisma } = database;
  await prisma.employee.updateMany({
    where: { accountId, id: employeeIds[0] ?? '' },
    data: { status: 'first' },
  });
  const { count } = await prisma.employee.updateMany({ where: { accountId }, data: { status: 'all' } });
  t.equal(count, rows);
  const changed = await prisma.event.count({ where: { accountId, type: 'employee.updated' } });
  t.equal(changed, rows + 1);
});
