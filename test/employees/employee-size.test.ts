import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

/** Maximum bytes of an employee: the row and its entries in all indexes. The search index takes about 200 of them. */
const maximumBytes = 1100;

t.test(`an employee takes at most ${maximumBytes} bytes`, async (t) => {
  const database = await openTestDatabase(t);
  const sizes = () =>
    asOwner<{ name: string; bytes: number }>(
      database,
      `SELECT indexrelid::regclass::text AS name, pg_relation_size(indexrelid)::int AS bytes
       FROM pg_index WHERE indrelid = 'employees'::regclass
       UNION ALL SELECT 'employees', (pg_total_relation_size('employees') - pg_indexes_size('employees'))::int`,
    );
  // Other tests have employees in the same tables.
  const before = new Map((await sizes()).map(({ name, bytes }) => [name, bytes]));
  const count = 2_500;
  await createTenant(database, { employees: makeEmployees(count) });
  const growth = (await sizes()).map(
    ({ name, bytes }) => [name, Math.round((bytes - (before.get(name) ?? 0)) / count)] as const,
  );
  const total = growth.reduce((sum, [, bytes]) => sum + bytes, 0);
  t.ok(total <= maximumBytes, `${total} bytes: ${growth.map((part) => part.join(' ')).join(', ')}`);
});
