import { createRandom } from '../support/input/random.js';
import { createReportClient, type ReportClient } from '../support/records/reports.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const random = createRandom(7);

interface Listed {
  readonly id: string;
  readonly attributes: Readonly<Record<string, string>>;
}

async function page(client: ReportClient, query: string) {
  const response = await client.send('GET', `/v1/reports?${query}`);
  if (response.statusCode !== 200) throw new Error(response.body);
  return response.json();
}

const client = await createReportClient(api);
for (let count = 0; count < 16; count += 1) {
  await client.saved({ title: random.pick(['b', 'B', 'a b', 'é', '😀', '\ufffd', 'z']) });
  api.clock.advanceSeconds(random.upTo(2));
}
const stranger = await createReportClient(api);
await stranger.saved({ title: 'not yours' });
const all: Listed[] = (await page(client, 'page[size]=500')).data;

t.test('lists the reports of the account by id', async (t) => {
  t.equal(all.length, 16);
  const ids = all.map(({ id }) => id);
  t.same(ids, ids.toSorted());
  t.same(await client.follow('/v1/reports?page[size]=7'), all);
  const one = await client.send('GET', `/v1/reports/${ids[3]}`);
  t.same(one.json().data, all[3]);
  const [first, second] = [
    await page(client, 'page[size]=6'),
    await page(client, 'page[size]=6&page[number]=3'),
  ];
  t.equal(first.meta.record_count, 16);
  t.equal(first.links.prev, null);
  t.match(first.links.next, /page%5Bnumber%5D=2&page%5Bsize%5D=6&page%5Bafter%5D=/);
  t.match(first.links.last, /page%5Bnumber%5D=3&page%5Bsize%5D=6$/);
  t.equal(second.data.length, 4);
  t.equal(second.links.next, null);
});

t.test('sorts by every key in both directions, and by id in the direction of the last key', async (t) => {
  const bytewise = (a = '', b = '') => Buffer.compare(Buffer.from(a), Buffer.from(b));
  const keys = ['title', 'created_at', 'updated_at'];
  const orders = [
    ...keys.flatMap((key) => [key, `-${key}`]),
    ...['title,-created_at', '-title,-updated_at,created_at'],
  ];
  for (const sort of orders) {
    const terms = sort
      .split(',')
      .map((key) => ({ key: key.replace('-', ''), sign: key.startsWith('-') ? -1 : 1 }));
    const expected = all.toSorted((a, b) => {
      for (const { key, sign } of terms) {
        const order = bytewise(a.attributes[key], b.attributes[key]);
        if (order !== 0) return order * sign;
      }
      return bytewise(a.id, b.id) * (terms.at(-1)?.sign ?? 1);
    });
    t.same(await client.follow(`/v1/reports?sort=${sort}&page[size]=4`), expected, sort);
    const middle = await page(client, `sort=${sort}&page[size]=5&page[number]=3`);
    t.same(middle.data, expected.slice(10, 15), sort);
  }
});

t.test('rejects malformed parameters by name', async (t) => {
  for (const [query, parameter] of [
    ['sort=description', 'sort'],
    ['sort=', 'sort'],
    ['sort=title,', 'sort'],
    ['page[size]=501', 'page[size]'],
    ['page[number]=0', 'page[number]'],
    ['page[number]=0x1', 'page[number]'],
    ['page[after]=AAAA', 'page[after]'],
    ['filter[title]=x', 'filter[title]'],
  ] as const) {
    const response = await client.send('GET', `/v1/reports?${query}`);
    t.equal(response.statusCode, 400, query);
    t.equal(response.json().errors[0].parameter, parameter);
  }
});

t.test('a page past the end is empty', async (t) => {
  for (const query of [
    'page[number]=2',
    'page[number]=1000000000&page[size]=500',
    'page[number]=9&sort=-title',
  ]) {
    const { data, meta, links } = await page(client, query);
    t.same([data, meta.record_count, links.next], [[], 16, null], query);
  }
});

t.test('rejects a forged cursor', async (t) => {
  const { links } = await page(client, 'sort=-created_at,title&page[size]=3');
  const next = new URL(links.next);
  const [number, size, print, anchor] = JSON.parse(
    Buffer.from(next.searchParams.get('page[after]') ?? '', 'base64url').toString(),
  );
  for (const forged of [
    null,
    {},
    { ...anchor, id: 1 },
    { ...anchor, id: { not: 'x' } },
    { ...anchor, values: [{ gt: 'x' }, 'x'] },
    { ...anchor, values: ['2026-02-30T00:00:00.000Z', 'x'] },
    { ...anchor, values: [anchor.values[0]] },
    { ...anchor, values: [anchor.values[0], '\u0000'] },
    { ...anchor, values: [anchor.values[0], '\ud800'] },
    { ...anchor, id: 'a\u0000' },
    { ...anchor, values: ['+010000-01-01T00:00:00.000Z', 'x'] },
    { ...anchor, values: ['0000-12-31T23:59:59.999Z', 'x'] },
    { ...anchor, values: ['infinity', 'x'] },
  ]) {
    next.searchParams.set(
      'page[after]',
      Buffer.from(JSON.stringify([number, size, print, forged])).toString('base64url'),
    );
    const response = await client.send('GET', `${next.pathname}${next.search}`);
    t.equal(response.statusCode, 400, JSON.stringify(forged));
    t.equal(response.json().errors[0].parameter, 'page[after]');
  }
});

t.test('following links misses no report under concurrent changes', async (t) => {
  const own = await createReportClient(api);
  for (const title of ['a', 'b', 'c', 'd', 'e', 'f']) await own.saved({ title });
  const titles = (body: { data: Listed[] }) => body.data.map(({ attributes }) => attributes.title);
  const first = (await own.send('GET', '/v1/reports?sort=title&page[size]=2')).json();
  t.same(titles(first), ['a', 'b']);
  await own.saved({ title: '0' });
  await own.send('DELETE', `/v1/reports/${first.data[1].id}`);
  const second = (await own.send('GET', first.links.next.replace('http://api.test', ''))).json();
  t.same(titles(second), ['c', 'd']);
  t.equal(second.meta.record_count, 6);
});
