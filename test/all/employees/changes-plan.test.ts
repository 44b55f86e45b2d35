import { changesOfEmployee } from '../../../src/features/employees/employee-change-statement.js';
import { accessTo, contractAnd } from '../../../src/platform/contract/attribute-access.js';
import { Prisma } from '../../../src/platform/database/client.js';
import { employeePosition } from '../../../src/platform/database/ids.js';
import { openTestDatabase } from '../../support/database/database.js';
import { asOwner } from '../../support/database/owner.js';
import { planOf } from '../../support/database/query-plan.js';
import { defineAttributes } from '../../support/records/custom-attributes.js';
import { createTenant, makeEmployees } from '../../support/records/tenant.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const { accountId, employeeIds } = await createTenant(database, { employees: makeEmployees(2) });
const [id = '', other = ''] = employeeIds;
await defineAttributes(database, accountId, [{ key: 'note' }]);
const many = 60_000;
/** Every 300th event is of the employee, the others are of another one. */
await asOwner(
  database,
  `INSERT INTO events (account_id, position, occurred_at, type, resource_id, changed, attributes, previous)
  SELECT $1, 100 + i, now(), 'employee.updated', CASE WHEN i % 300 = 0 THEN $2 ELSE $3 END, '{location}', attributes, '{}'
  FROM generate_series(1, $4::int) i, (SELECT attributes FROM events WHERE account_id = $1 LIMIT 1) AS stored`,
  ...[accountId, id, other, String(many)],
);
await asOwner(database, 'ANALYZE events');

/** The statement with its values, for the planner. */
function planOfPage(access: ReturnType<typeof accessTo>, { before, size }: { before: number; size: number }) {
  const values = [
    ...[accountId, String(employeePosition(id)), id, String(before), '2000-01-01T00:00:00Z', String(size)],
    access.keys,
  ];
  const parts = changesOfEmployee(access).text.split(/\$(\d)(?!\d)/);
  const strings = parts.filter((_, index) => index % 2 === 0);
  const given = parts.filter((_, index) => index % 2 === 1).map((number) => values[Number(number) - 1]);
  return planOf(database, new Prisma.Sql(strings, given));
}

t.test('a page reads the events of the employee in the order of the index, at any position', async (t) => {
  for (const access of [contractAnd([]), contractAnd(['note']), accessTo('location custom.note')])
    for (const before of [Number.MAX_SAFE_INTEGER, many / 2, 400]) {
      const { text, blocks } = await planOfPage(access, { before, size: 11 });
      t.match(text, 'events_account_id_resource_id_position_idx', text);
      t.ok(blocks < 150, `${blocks} blocks\n${text}`);
    }
});

t.test('skipping changes reads the events of the employee at most', async (t) => {
  const { text, blocks } = await planOfPage(accessTo('job_title'), { before: many * 2, size: 11 });
  t.match(text, 'events_account_id_resource_id_position_idx', text);
  t.ok(blocks < 1000, `${blocks} blocks for ${many / 300} skipped changes of ${many}\n${text}`);
});
