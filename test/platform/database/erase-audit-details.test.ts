import { readFileSync } from 'node:fs';
import path from 'node:path';
import { allAccounts, withScope } from '../../../src/platform/database/scope.js';
import { packageRoot } from '../../../src/platform/package-root.js';
import { openTestDatabase } from '../../support/database/database.js';
import { insertEmployees } from '../../support/records/insert-employees.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const file = 'prisma/migrations/20261129110000_erase_audit_details/migration.sql';

t.test('the migration erases the audit details of employees that were deleted before', async (t) => {
  const database = await openTestDatabase(t);
  const { prisma } = database;
  const { accountId } = await createTenant(database);
  const [kept = ''] = await insertEmployees(prisma, accountId, makeEmployees(1));
  const event = (id: string, type: string, employee: string) => {
    return { id, accountId, type, details: { employee, first_name: 'Ada' }, createdAt: new Date() };
  };
  const events = [
    event('a', 'employee.created', kept),
    event('b', 'employee.updated', 'gone'),
    event('c', 'employee.deleted', 'gone'),
    event('d', 'report.created', 'gone'),
  ];
  await prisma.auditEvent.createMany({ data: events });
  const [, block = ''] = /^(DO \$\$[\s\S]*)/m.exec(readFileSync(path.join(packageRoot, file), 'utf8')) ?? [];
  await withScope(allAccounts, () => prisma.$executeRawUnsafe(block));
  const stored = await prisma.auditEvent.findMany({ where: { accountId }, orderBy: { id: 'asc' } });
  const [created, , , report] = events;
  const erased = { employee: 'gone' };
  t.same(
    stored.map(({ details }) => details),
    [created?.details, erased, erased, report?.details],
  );
});
