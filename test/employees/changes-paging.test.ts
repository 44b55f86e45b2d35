import { restrict } from '../support/records/attribute-access.js';
import { changeReader, changesPath } from '../support/records/employee-changes.js';
import { createApplication, createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

async function setUp(count = 1) {
  const tenant = await createTenant(api.database, { employees: makeEmployees(count) });
  const token = await api.token(tenant.application);
  return { ...tenant, id: tenant.employeeIds[0] ?? '', token, ...changeReader(api, token) };
}

/** Changes the location of an employee this many times; every tenth time also the department. */
async function changeOften(accountId: string, id: string, times: number): Promise<void> {
  for (let number = 0; number < times; number += 1)
    await prisma.employee.updateMany({
      where: { accountId, id },
      data: { location: `L${number}`, ...(number % 10 === 9 && { department: `D${number}` }) },
    });
}

t.test(
  'pages have every change once, newest first, also those with changes between the requests',
  async (t) => {
    const { accountId, id, page, all } = await setUp(2);
    await changeOften(accountId, id, 63);
    const { changes, pages } = await all(id, { size: 10 });
    t.equal(pages, 7);
    t.equal(changes.length, 64);
    t.equal(new Set(changes.map(({ id }) => id)).size, 64);
    t.same(
      changes.map(({ id }) => id),
      changes
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    t.same((await all(id, { size: 64, byLink: false })).changes, changes, 'exactly one page');
    t.same((await all(id, { size: 63 })).pages, 2);
    const first = await page(id, '?page[size]=10');
    await changeOften(accountId, id, 5);
    const next = await page(id, `?page[after]=${first.meta.next_cursor}`);
    t.same(next.data, changes.slice(10, 20), 'of the same size, without the newer ones');
    t.match(
      first.links.next,
      new RegExp(`^http://api\\.test${changesPath(id)}\\?page%5Bsize%5D=10&page%5Bafter%5D=[\\w-]+$`),
    );
    t.equal((await page(id)).data.length, 50, 'by default 50');
  },
);

t.test(
  'hidden changes before, between and after readable ones make no empty page and no further one',
  async (t) => {
    const { accountId, application, id, page, all } = await setUp();
    await changeOften(accountId, id, 65);
    await restrict(api, application, ['location']);
    const { changes, pages } = await all(id, { size: 3 });
    t.equal(changes.length, 7, 'six departments, and the creation');
    t.equal(pages, 3);
    const last = await page(id, '?page[size]=7');
    t.equal(last.meta.next_cursor, null, 'the last page is known');
    await restrict(api, application, []);
    t.equal((await all(id, { size: 3 })).changes.length, 66);
  },
);

t.test('a cursor stays valid when the access changes meanwhile', async (t) => {
  const { accountId, application, id, page } = await setUp();
  await changeOften(accountId, id, 20);
  const first = await page(id, '?page[size]=5');
  await restrict(api, application, ['location']);
  const { data } = await page(id, `?page[after]=${first.meta.next_cursor}`);
  t.same(data.map(({ attributes }) => attributes.changes.map(({ attribute }) => attribute)).slice(0, 1), [
    ['department'],
  ]);
  t.equal(data.length, 2);
});

t.test(
  'an unknown, malformed, foreign or deleted employee gets the same response as that of getEmployee',
  async (t) => {
    const { accountId, employeeIds, token } = await setUp(2);
    const other = await setUp();
    const [own = '', deleted = ''] = employeeIds;
    await prisma.employee.deleteMany({ where: { accountId, id: deleted } });
    const candidates = [
      ...[
        other.id,
        deleted,
        accountId,
        own.toUpperCase(),
        `${own}0`,
        ` ${own}`,
        `${own.slice(0, 8)}zzzzzzzz`,
      ],
      ...[
        'unknown',
        '*',
        '%',
        '\u0000',
        `${own}\u0000`,
        'é',
        "' OR true --",
        '__proto__',
        'x'.repeat(255),
        'x'.repeat(256),
      ],
      'x'.repeat(9000),
    ].map((id) => encodeURIComponent(id));
    const essence = (body: string) => {
      const { instance: _instance, request_id: _requestId, ...rest } = JSON.parse(body);
      return rest;
    };
    for (const id of candidates) {
      const [changes, employee] = [
        await api.get(changesPath(id), token),
        await api.get(`/v1/employees/${id}`, token),
      ];
      t.equal(changes.statusCode, 404, id.slice(0, 40));
      t.same(essence(changes.body), essence(employee.body), id.slice(0, 40));
    }
    t.equal((await api.get(changesPath(own), other.token)).statusCode, 404);
  },
);

t.test('rejects cursors that are not of this list, and names the parameter', async (t) => {
  const { accountId, employeeIds, id, token, page } = await setUp(2);
  const second = employeeIds[1] ?? '';
  await changeOften(accountId, id, 4);
  await changeOften(accountId, second, 4);
  const cursor = String((await page(id, '?page[size]=2')).meta.next_cursor);
  const ofOther = String((await page(second, '?page[size]=2')).meta.next_cursor);
  const ofList = (await api.get('/v1/employees?page[size]=1', token)).json().meta.next_cursor;
  const [number, size, fingerprint, position] = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  const forged = (...content: unknown[]) => Buffer.from(JSON.stringify(content)).toString('base64url');
  t.equal(
    (await api.get(`${changesPath(id)}?page[after]=${forged(number, size, fingerprint, position)}`, token))
      .statusCode,
    200,
  );
  const anchors = [
    0,
    -1,
    1.5,
    2 ** 53,
    1e300,
    '1',
    null,
    [],
    {},
    true,
    { values: [], position: 1 },
    `${position}`,
  ];
  const cursors = [
    ...[
      ofOther,
      ofList,
      `evt_${accountId}_00000001`,
      'x',
      'W10',
      cursor.slice(1),
      cursor.slice(0, -4),
      '-',
      '_',
    ],
    ...anchors.map((anchor) => forged(number, size, fingerprint, anchor)),
    ...[
      forged(1, size, fingerprint, position),
      forged(number, 501, fingerprint, position),
      forged(number, size, '', position),
    ],
    forged(number, size, fingerprint),
  ];
  for (const given of cursors) {
    const response = await api.get(`${changesPath(id)}?page[after]=${given}`, token);
    t.equal(response.statusCode, 400, given);
    t.match(response.json(), { code: 'invalid_request', errors: [{ parameter: 'page[after]' }] }, given);
  }
  const otherSize = await api.get(`${changesPath(id)}?page[after]=${cursor}&page[size]=3`, token);
  t.match(otherSize.json(), { status: 400, errors: [{ parameter: 'page[after]' }] });
});

t.test('rejects sizes out of bounds and every other parameter', async (t) => {
  const { id, token } = await setUp();
  for (const [query, parameter] of [
    ...['0', '501', '-1', '1.5', 'x', '', '1e2', '99999999999'].map((size) => [
      `page[size]=${size}`,
      'page[size]',
    ]),
    ['page[size]=1&page[size]=2', 'page[size]'],
    ['page[number]=1', 'page[number]'],
    ['page[number]=2', 'page[number]'],
    ['page[after]=', 'page[after]'],
    ['page[after]=a%20b', 'page[after]'],
    [`page[after]=${'x'.repeat(8193)}`, 'page[after]'],
    ['sort=occurred_at', 'sort'],
    ['filter[since]=2026-01-01T00:00:00Z', 'filter[since]'],
    ['__proto__=1', '__proto__'],
  ] as const) {
    const response = await api.get(`${changesPath(id)}?${query}`, token);
    t.equal(response.statusCode, 400, query.slice(0, 40));
    t.match(response.json(), { code: 'invalid_request', errors: [{ parameter }] }, query.slice(0, 40));
  }
  t.equal((await api.get(`${changesPath(id)}?page[size]=500`, token)).statusCode, 200);
});

t.test('needs a token with one of the scopes that read employees', async (t) => {
  const { accountId, id } = await setUp();
  const all = ['employees:read', 'reports:read', 'user:read', 'webhooks:read'];
  const application = await createApplication(api.database, accountId, { scopes: all });
  t.equal((await api.get(changesPath(id))).statusCode, 401);
  for (const scope of all) {
    const { statusCode } = await api.get(changesPath(id), await api.token(application, scope));
    t.equal(statusCode, /^(employees|reports):/.test(scope) ? 200 : 403, scope);
  }
});
