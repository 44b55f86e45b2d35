import { employeePage } from '../../src/features/employees/employee-statements.js';
import type { Database } from '../../src/platform/database/client.js';
import { openDatabase } from '../../src/platform/database/open-database.js';
import { createTestDatabase, testServer } from '../support/database/database.js';
import { asOwner } from '../support/database/owner.js';
import { query } from '../support/database/query.js';
import { pageById } from '../support/records/employee-page.js';
import { createApplication, createTenant, makeEmployees, type Tenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const options = await createTestDatabase(t);
const database = await openDatabase(options);
t.teardown(() => database.close());
const api = await buildTestApp(t, { database });

/** Accounts of very different sizes, each with its own token. */
const tenants = await Promise.all(
  [0, 1, 60, 3000].map(async (count) => {
    const tenant = await createTenant(database, { employees: makeEmployees(count) });
    return { ...tenant, token: await api.token(tenant.application) };
  }),
);

interface Page {
  readonly data: readonly { readonly id: string }[];
  readonly meta: { readonly record_count: number };
  readonly links: { readonly next: string | null };
}

/** The expected page, from a simple query. */
async function expectedPage({ accountId }: Tenant, number: number, size: number) {
  const from = { skip: (number - 1) * size };
  const { employees, recordCount, next } = await pageById(database, accountId, { size, from });
  return { ids: employees.map(({ id }) => id), recordCount, next: next !== null };
}

const addressOf = (number: number, size: number) =>
  `/v1/employees?page%5Bnumber%5D=${number}&page%5Bsize%5D=${size}`;

/** Shuffles items in a reproducible way. */
const mixed = <Item>(items: readonly Item[]): Item[] =>
  items
    .map((item, index) => ({ item, place: (index * 7919) % 1009 }))
    .sort((a, b) => a.place - b.place)
    .map(({ item }) => item);

t.test('concurrent requests of many accounts for first and deep pages get their own pages', async (t) => {
  const numbers = [1, 1, 2, 7, 60, 300, 301, 20_000, 1_000_000_000];
  const requests = mixed(
    tenants.flatMap((tenant) =>
      [7, 10, 50, 500].flatMap((size) => numbers.map((number) => ({ tenant, size, number }))),
    ),
  );
  const responses = await Promise.all(
    requests.map(({ tenant, size, number }) => api.get(addressOf(number, size), tenant.token)),
  );
  for (const [index, { tenant, size, number }] of requests.entries()) {
    const response = responses[index];
    const what = `page ${number} of ${size} of ${tenant.employeeIds.length}`;
    t.equal(response?.statusCode, 200, what);
    const page: Page | undefined = response?.json();
    const found = page && {
      ids: page.data.map(({ id }) => id),
      recordCount: page.meta.record_count,
      next: page.links.next !== null,
    };
    t.same(found, await expectedPage(tenant, number, size), what);
  }
});

t.test('concurrent requests by cursor and by number get their own pages', async (t) => {
  const [, , , large] = tenants as never as [unknown, unknown, unknown, (typeof tenants)[0]];
  const first: Page = (await api.get(addressOf(1, 10), large.token)).json();
  const next = (first.links.next ?? '').replace('http://api.test', '');
  const responses = await Promise.all(
    mixed([next, addressOf(290, 10), next, addressOf(1, 10), addressOf(2, 10), next]).map(async (url) => {
      const { data }: Page = (await api.get(url, large.token)).json();
      return { url, ids: data.map(({ id }) => id) };
    }),
  );
  const number = (url: string) => (url === next ? 2 : Number(/number%5D=(\d+)/.exec(url)?.[1]));
  for (const { url, ids } of responses) {
    t.same(ids, (await expectedPage(large, number(url), 10)).ids, url);
  }
});

t.test('concurrent requests find records of their own account only', async (t) => {
  const ids = [
    ...tenants.flatMap(({ employeeIds }) => [...employeeIds.slice(0, 5), ...employeeIds.slice(-5)]),
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
  const [, one, , large] = tenants as never as [unknown, (typeof tenants)[0], unknown, (typeof tenants)[0]];
  const poor = await createApplication(database, large.accountId);
  const [withoutScopes, ofDeleted, revoked] = await Promise.all([
    api.token(poor),
    (async () => {
      const application = await createApplication(database, large.accountId);
      const token = await api.token(application);
      await database.prisma.application.deleteMany({ where: { id: application.id } });
      return token;
    })(),
    (async () => {
      const { clientId, clientSecret } = large.application;
      const token = await api.token(large.application);
      await api.postForm('/v1/oauth/revoke', { client_id: clientId, client_secret: clientSecret, token });
      return token;
    })(),
  ]);
  await database.prisma.application.updateMany({ where: { id: poor.id }, data: { scopes: [] } });
  const kinds = [
    { token: one.token, status: 200, count: 1 },
    { token: large.token, status: 200, count: 3000 },
    { token: withoutScopes, status: 403 },
    { token: ofDeleted, status: 401 },
    { token: revoked, status: 401 },
    { token: `${large.token}x`, status: 401 },
  ];
  const requests = mixed(Array.from({ length: 10 }, () => kinds).flat());
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
  const [, , , { accountId }] = tenants as never as [unknown, unknown, unknown, (typeof tenants)[0]];
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
  const readPage = employeePage(watched);
  /** Blocks that one statement for all these requests reads. */
  const blocksFor = async (...skips: number[]): Promise<number> => {
    statements.length = 0;
    await Promise.all(skips.map((skip) => readPage({ accountId, size: 10, from: { skip } })));
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
