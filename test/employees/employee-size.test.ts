import { openTestDatabase } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import t from '../support/tap.js';

/** Maximum bytes of an employee: the row and its entries in all indexes. The search index takes about 200 of them. */
const maximumBytes = 1100;

t.test(`an employee takes at most ${maximumBytes} bytes`, async (t) => {
  const database = await openTestDatabase(t);
  const count = 5_000;
  await createTenant(database, { employees: makeEmployees(count) });
  const [size] = await asOwner<{ bytes: number }>(
    database,
    `SELECT (pg_total_relation_size('employees') / ${count})::int AS bytes`,
  );
  const indexes = await asOwner<{ name: string; bytes: number }>(
    database,
    `SELECT indexrelid::regclass::text AS name, (pg_relation_size(indexrelid) / ${count})::int AS bytes
     FROM pg_index WHERE indrelid = 'employees'::regclass ORDER BY 1`,
  );
  const table = indexes.map(({ name, bytes }) => `${name} ${bytes}`).join(', ');
  t.ok((size?.bytes ?? Number.POSITIVE_INFINITY) <= maximumBytes, `${size?.bytes} bytes: ${table}`);
});
