import { employeeById, employeePage } from '../../src/features/employees/employee-statements.js';
import { contractAccess } from '../../src/platform/contract/attribute-access.js';
import type { Database } from '../../src/platform/database/client.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { createTestDatabase, openTestDatabase, testServer } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { query } from '../support/database/query.js';
import { attributesOf } from '../support/records/employee-attributes.js';
import { createApplication, createTenant, makeEmployees, type Tenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const database = await openDatabase(options);
t.teardown(() => database.close());
const api = await buildTestApp(t, { database });

const shape = { ...contractAccess, readsCustom: false };

const hostile = ['"', '\\', '\n\t\u0001', '</script>', "'); --", 'Zoë 🏳️‍🌈', '%s $1 {}', '\u2028', ''];

/** Accounts of very different sizes, each with its own token. */
const tenants = await Promise.all(
  [0, 1, 60, 3000].map(async (count) => {
    const employees = makeEmployees(count).map((employee, index) => ({
      ...employee,
      lastName: `${hostile[index % hostile.length]}${index}`,
      updatedAt: new Date(Date.UTC(2026, 0, 1 + index, 23, 59, 59, index % 1000)),
    }));
    const tenant = await createTenant(database, { employees });
    return { ...tenant, token: await api.token(tenant.application) };
  }),
);
type Account = (typeof tenants)[0];
const [, one, , large] = tenants as [Account, Account, Account, Account];

interface Page {
  readonly data: readonly object[];
  readonly meta: { readonly record_count: number };
  readonly links: { readonly next: string | null };
}

/** The page that the models read. */
async function expectedPage({ accountId }: Tenant, number: number, size: number) {
  const where = { accountId };
  const found = await database.prisma.employee.findMany({
    where,
    orderBy: { position: 'asc' },
    skip: (number - 1) * size,
    take: size + 1,
  });
  return {
    data: found.slice(0, size).map((employee) => ({
      id: employee.id,
      type: 'employees',
      attributes: attributesOf(employee),
    })),
    recordCount: await database.prisma.employee.count({ where }),
    hasNext: found.length > size,
  };
}

const addressOf = (number: number, size: number) =>
  `/v1/employees?page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;

/** Shuffles items in a reproducible way. */
const mixed = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item, index) => ({ item, place: (index * 7919) % 1009 }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

t.test(
  'concurrent requests for pages by number and by cursor get the pages that the models read',
  async (t) => {
    const requests = tenants.flatMap((tenant) =>
      [7, 50].flatMap((size) =>
        [1, 1, 2, 60, 61, 1_000_000_000].map((number) => {
          return { tenant, size, number, url: addressOf(number, size) };
        }),
      ),
    );
    const send = async (sent: typeof requests) => {
      const responses = await Promise.all(sent.map(({ tenant, url }) => api.get(url, tenant.token)));
      return responses.map((response) => response.json() as Page);
    };
    // The cursors are those of the first round.
    const following = (await send(mixed(requests))).flatMap(({ links }, index) => {
      const { tenant, size, number } = mixed(requests)[index] as (typeof requests)[0];
      if (links.next === null) return [];
      return { tenant, size, number: number + 1, url: links.next.replace('http://api.test', '') };
    });
    t.ok(following.length > 10);
    const all = mixed([...requests.filter((_, index) => index % 2 === 0), ...following]);
    for (const [index, { data, meta, links }] of (await send(all)).entries()) {
      const { tenant, size, number, url } = all[index] as (typeof requests)[0];
      const found = { data, recordCount: meta.record_count, hasNext: links.next !== null };
      t.same(found, await expectedPage(tenant, number, size), `${url} of ${tenant.employeeIds.length}`);
    }
  },
);

t.test('concurrent requests find records of their own account only', async (t) => {
  const ids = [
    ...tenants.flatMap(({ employeeIds }) => [...employeeIds.slice(0, 2), ...employeeIds.slice(-2)]),
    ...['unknown', 'NULL', '{}', "' OR 1=1 --", '%2C', '%22'],
  ];
  const requests = mixed(tenants.flatMap((tenant) => ids.map((id) => ({ tenant, id }))));
  const responses = await Promise.all(
    requests.map(({ tenant, id }) => api.get(`/v1/employees/${encodeURIComponent(id)}`, tenant.token)),
  );
  for (const [index, { tenant, id }] of requests.entries()) {
    const response = responses[index];
    const own = tenant.employeeIds.includes(id);
    t.equal(response?.statusCode, own ? 200 : 404, `${id} for ${tenant.accountId}`);
    if (own) t.equal(response?.json().data.id, id);
  }
});

t.test('tokens that are checked in one query are accepted or rejected individually', async (t) => {
  const newApplication = () => createApplication(database, large.accountId);
  const [poor, deleted, other] = [await newApplication(), await newApplication(), await newApplication()];
  const [withoutScopes, ofDeleted, revoked] = await Promise.all(
    [poor, deleted, other].map((application) => api.token(application)),
  );
  await database.prisma.application.updateMany({ where: { id: poor.id }, data: { scopes: [] } });
  await database.prisma.application.deleteMany({ where: { id: deleted.id } });
  const { clientId: client_id, clientSecret: client_secret } = other;
  await api.postForm('/v1/oauth/revoke', { client_id, client_secret, token: String(revoked) });
  const kinds = [
    { token: one.token, status: 200, count: 1 },
    { token: large.token, status: 200, count: 3000 },
    { token: withoutScopes, status: 403 },
    { token: ofDeleted, status: 401 },
    { token: revoked, status: 401 },
    { token: `${large.token}x`, status: 401 },
  ];
  const requests = mixed(Array.from({ length: 4 }, () => kinds).flat());
  const responses = await Promise.all(requests.map(({ token }) => api.get(addressOf(1, 10), token)));
  for (const [index, { status, count }] of requests.entries()) {
    t.equal(responses[index]?.statusCode, status);
    t.equal(responses[index]?.json().meta?.record_count, count);
  }
});

const isShared = database.isDistributed()
  ? { skip: 'requests do not share statements on a distributed database' }
  : {};

t.test('a deep page adds few rows to those that a shared statement reads', isShared, async (t) => {
  const { accountId } = large;
  // The first statement of a connection also reads the catalogue, which must not count.
  const counted = testServer === undefined ? database : await openDatabase({ ...options, poolSize: 1 });
  if (counted !== database) t.teardown(() => counted.close());
  const statements: { text: string; values: readonly string[] }[] = [];
  const watched: Database = {
    ...counted,
    runPrepared: (statement, values, scope) => {
      statements.push({ text: statement.text, values });
      return counted.runPrepared(statement, values, scope);
    },
  };
  const readPage = employeePage(watched, shape);
  /** Blocks that one statement for all these requests reads. */
  const blocksFor = async (...skips: number[]): Promise<number> => {
    statements.length = 0;
    await Promise.all(skips.map((skip) => readPage({ accountId, size: 10, from: { skip }, keys: '' })));
    const [statement] = statements;
    t.equal(statements.length, 1, 'they share a statement');
    const [row] = await query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(
      counted,
      `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${statement?.text}`,
      statement?.values,
    );
    const plan = row?.['QUERY PLAN'][0].Plan ?? {};
    return (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
  };
  await asOwner(database, 'ANALYZE employees');
  await blocksFor(0, 1500);
  const shallow = await blocksFor(0, 0);
  for (const deep of [1500, 2990, 1_000_000]) {
    const blocks = await blocksFor(0, deep);
    t.ok(blocks < shallow + 40, `${blocks} blocks after ${deep} records, ${shallow} for first pages`);
  }
});

const onServer = { skip: testServer === undefined && 'the embedded database has one connection' };

t.test('statements are planned once for each connection, not for each call', onServer, async (t) => {
  const single = await openTestDatabase(t, { poolSize: 1, direct: true });
  const { accountId, employeeIds } = await createTenant(single, { employees: makeEmployees(60) });
  const [findAlone, readAlone] = [employeeById(single, shape), employeePage(single, shape)];
  // PostgreSQL makes custom plans for the first five executions, and then compares them with a generic plan.
  for (let count = 0; count < 10; count += 1) {
    await readAlone({ accountId, size: 10, from: { skip: count }, keys: '' });
    await findAlone({ accountId, id: employeeIds[count] ?? '', keys: '' });
  }
  const statements = await query<{ generic: number }>(
    single,
    `SELECT generic_plans::int AS generic FROM pg_prepared_statements WHERE name LIKE 'employee\\_%'`,
  );
  // On a distributed database, a separate statement reads the total.
  t.equal(statements.length, single.isDistributed() ? 3 : 2);
  t.ok(statements.every(({ generic }) => generic === 5));
});
