import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { createReportClient, parseCsv, type ReportClient, refused } from '../support/records/reports.js';
import { createApplication, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

const definitions = [
  { key: 'cost_center', label: 'Cost center' },
  { key: 'notes', type: 'long_text' },
  { key: 'salary', type: 'number', sensitive: true },
  { key: 'badge_until', type: 'date' },
  { key: 'remote', type: 'boolean' },
  { key: 'shirt', type: 'choice', choices: ['Small', 'Large'] },
  { key: 'languages', type: 'choices', choices: ['English', 'German', 'French'] },
  { key: 'secret' },
  { key: 'old', archivedAt: new Date() },
] as const;
const readable = definitions.map(({ key }) => `custom.${key}`).filter((name) => name !== 'custom.secret');
const active = readable.filter((name) => name !== 'custom.old');

const values: readonly object[] = [
  { cost_center: 'B"1', salary: -2.5, badge_until: '2026-01-31', remote: true, shirt: 'Large' },
  { cost_center: 'a1', salary: 1000, remote: false, shirt: 'Small', languages: ['German', 'French'] },
  { notes: 'First line\nsecond line', salary: 9.75, badge_until: '2025-12-31', languages: ['English'] },
  {},
];

/** An account with attributes of each type and four employees, whose application may read all attributes except `secret`. */
async function setUp(): Promise<ReportClient> {
  const client = await createReportClient(api, { employees: makeEmployees(values.length) });
  const { accountId, application, employeeIds } = client.tenant;
  await defineAttributes(api.database, accountId, definitions);
  for (const [index, id] of employeeIds.entries())
    await setCustomValues(api.database, accountId, id, { ...values[index], secret: `S${index}` });
  await prisma.application.updateMany({
    where: { accountId, id: application.id },
    data: { readableAttributes: [...readable, 'job_title'] },
  });
  return client;
}

const client = await setUp();
const { employeeIds } = client.tenant;

/** Positions of the employees that a list report has, in its order. */
async function found(definition: object): Promise<number[]> {
  const id = await client.saved({ title: 'x', columns: ['id'], ...definition });
  // Small pages, so that each order is also continued after a cursor.
  const rows = await client.allRows(id, 1);
  return rows.map((row) => employeeIds.indexOf(row.id));
}

const filtered = (field: string, operator: string, value?: unknown) =>
  found({ filters: [{ field: `custom.${field}`, operator, ...(value !== undefined && { value }) }] });

t.test('rows have the values of custom attributes in their types, and null without a value', async (t) => {
  const id = await client.saved({ title: 'x', columns: active });
  const response = await client.send('GET', `/v1/reports/${id}/results`);
  const { data, meta } = response.json();
  const shown = data.map(({ attributes }: { attributes: { custom: object } }) => attributes.custom);
  const nothing = Object.fromEntries(active.map((name) => [name.slice('custom.'.length), null]));
  t.same(
    shown,
    values.map((given) => ({ ...nothing, ...given })),
  );
  t.same(
    meta.columns.map(({ key, type }: { key: string; type: string }) => `${key} ${type}`),
    [
      ...[
        'custom.cost_center string',
        'custom.notes string',
        'custom.salary number',
        'custom.badge_until date',
      ],
      ...['custom.remote boolean', 'custom.shirt string', 'custom.languages list'],
    ],
  );
  t.equal(meta.columns[0].label, 'Cost center');
});

t.test('the list of columns ends with the readable custom attributes that are not archived', async (t) => {
  const { data, meta } = (await client.send('GET', '/v1/report_columns')).json();
  t.same(
    data.slice(-active.length).map(({ id }: { id: string }) => id),
    active,
  );
  t.equal(meta.record_count, data.length);
  t.notMatch(JSON.stringify(data), /secret|custom\.old/);
});

t.test('without columns, a report has no custom attribute', async (t) => {
  const { attributes } = (await client.create({ title: 'x' })).json().data;
  t.notMatch(JSON.stringify(attributes), 'custom');
});

t.test('a table has the values as text, with several choices in one cell', async (t) => {
  const id = await client.saved({ title: 'x', columns: active });
  t.same(parseCsv(await client.csv(id)), [
    active,
    ['B"1', '', '-2.5', '2026-01-31', 'true', 'Large', ''],
    ['a1', '', '1000', '', 'false', 'Small', 'German; French'],
    ['', 'First line\nsecond line', '9.75', '2025-12-31', '', '', 'English'],
    ['', '', '', '', '', '', ''],
  ]);
});

t.test('filters compare values in the order of their type, and negative ones match no value', async (t) => {
  const expectations: readonly [string, string, unknown, readonly number[]][] = [
    ['cost_center', 'eq', 'a1', [1]],
    ['cost_center', 'not_eq', 'a1', [0, 2, 3]],
    ['cost_center', 'in', ['a1', 'B"1'], [0, 1]],
    ['cost_center', 'not_in', ['a1', 'x'], [0, 2, 3]],
    ['cost_center', 'starts_with', 'b', [0]],
    ['cost_center', 'contains', '1', [0, 1]],
    ['cost_center', 'empty', undefined, [2, 3]],
    ['cost_center', 'not_empty', undefined, [0, 1]],
    ['notes', 'contains', 'SECOND', [2]],
    ['notes', 'starts_with', 'first', [2]],
    ['notes', 'empty', undefined, [0, 1, 3]],
    ['salary', 'gt', '9.75', [1]],
    ['salary', 'gte', '9.7500', [1, 2]],
    ['salary', 'lt', '9.75', [0]],
    ['salary', 'lte', '9.75', [0, 2]],
    ['salary', 'eq', '1000.0', [1]],
    ['salary', 'not_eq', '1000', [0, 2, 3]],
    ['salary', 'in', ['-2.5', '9.75'], [0, 2]],
    ['salary', 'not_in', ['-2.5', '9.75'], [1, 3]],
    ['salary', 'empty', undefined, [3]],
    ['badge_until', 'before', '2026-01-31', [2]],
    ['badge_until', 'on_or_after', '2025-12-31', [0, 2]],
    ['badge_until', 'not_eq', '2026-01-31', [1, 2, 3]],
    ['badge_until', 'after', '-99999d', [0, 2]],
    ['remote', 'eq', 'true', [0]],
    ['remote', 'not_eq', 'true', [1, 2, 3]],
    ['remote', 'empty', undefined, [2, 3]],
    ['shirt', 'in', ['Small', 'Large'], [0, 1]],
    ['languages', 'contains', 'German', [1]],
    ['languages', 'contains', 'Ger', []],
    ['languages', 'contains', '"German"', []],
    ['languages', 'empty', undefined, [0, 3]],
    ['languages', 'not_empty', undefined, [1, 2]],
  ];
  for (const [field, operator, value, expected] of expectations)
    t.same(await filtered(field, operator, value), expected, `${field} ${operator} ${value}`);
});

t.test('rows are sorted by value, with null last in ascending order, also after a cursor', async (t) => {
  const expectations: readonly [string, readonly number[]][] = [
    ['custom.cost_center', [0, 1, 2, 3]],
    ['-custom.cost_center', [3, 2, 1, 0]],
    ['custom.salary', [0, 2, 1, 3]],
    ['-custom.salary', [3, 1, 2, 0]],
    ['custom.badge_until', [2, 0, 1, 3]],
    ['custom.remote', [1, 0, 2, 3]],
    ['-custom.shirt', [3, 2, 1, 0]],
  ];
  for (const [key, expected] of expectations) t.same(await found({ sort: [key] }), expected, key);
  t.same(await found({ sort: ['custom.remote', '-custom.salary'] }), [1, 0, 3, 2]);
});

t.test('groups count the employees with each value, and those without one', async (t) => {
  const groups = async (groupBy: readonly string[], more: object = {}) => {
    const id = await client.saved({ title: 'x', group_by: groupBy, ...more });
    const rows = await client.allRows(id, 1);
    return rows.map(({ attributes: { custom, ...others } }) => [
      ...Object.values(Object(custom)),
      ...Object.values(others),
    ]);
  };
  t.same(await groups(['custom.remote']), [
    [false, 1],
    [true, 1],
    [null, 2],
  ]);
  t.same(await groups(['custom.shirt'], { sort: ['-custom.shirt'] }), [
    [null, 2],
    ['Small', 1],
    ['Large', 1],
  ]);
  t.same(
    await groups(['custom.badge_until', 'custom.remote'], { sort: ['-count'] }),
    [
      [null, null, 1],
      ['2026-01-31', true, 1],
      ['2025-12-31', null, 1],
      [null, false, 1],
    ].toSorted((one, other) => rank(one) - rank(other)),
  );
  const id = await client.saved({ title: 'x', group_by: ['custom.remote', 'status'] });
  t.equal(parseCsv(await client.csv(id))[0]?.join(), 'custom.remote,status,count');
});

/** Groups of the same size are in the order of their values. */
function rank([date, remote]: readonly unknown[]): number {
  return (date === null ? 2 : date === '2026-01-31' ? 1 : 0) + (remote === null ? 0.5 : 0);
}

const rejections: readonly [body: object, pointer: string, code?: string][] = [
  [{ sort: ['custom.notes'] }, '/sort/0'],
  [{ sort: ['status', '-custom.languages'] }, '/sort/1'],
  [{ group_by: ['custom.cost_center'] }, '/group_by/0'],
  [{ group_by: ['status', 'custom.salary'] }, '/group_by/1'],
  [{ group_by: ['custom.languages'] }, '/group_by/0'],
  [{ group_by: ['custom.remote'], sort: ['custom.shirt'] }, '/sort/0'],
  [{ columns: ['custom.'] }, '/columns/0'],
  [{ columns: ['custom.Cost'] }, '/columns/0'],
  [{ columns: ["custom.x' OR true --"] }, '/columns/0'],
  [{ columns: ['-custom.cost_center'] }, '/columns/0'],
  [{ columns: [1] }, '/columns/0'],
  ...(
    [
      ['notes', 'eq', 'x', 'operator'],
      ['notes', 'in', ['x'], 'operator'],
      ['cost_center', 'gt', 'x', 'operator'],
      ['cost_center', 'before', '2026-01-31', 'operator'],
      ['salary', 'contains', '1', 'operator'],
      ['salary', 'before', '1', 'operator'],
      ['salary', 'eq', '1e3', 'value'],
      ['salary', 'eq', '', 'value'],
      ['salary', 'gt', 'NaN', 'value'],
      ['salary', 'lt', '123456789012', 'value'],
      ['salary', 'lt', '\u00a05', 'value'],
      ['salary', 'lt', '5 ', 'value'],
      ['salary', 'in', ['1', 'one'], 'value/1'],
      ['badge_until', 'eq', '2026-02-30', 'value'],
      ['badge_until', 'starts_with', '2026', 'operator'],
      ['badge_until', 'gt', '2026-01-31', 'operator'],
      ['remote', 'eq', 'yes', 'value'],
      ['remote', 'in', ['true'], 'operator'],
      ['languages', 'eq', 'German', 'operator'],
      ['languages', 'starts_with', 'German', 'operator'],
    ] as const
  ).map(([field, operator, value, place]): [object, string] => [
    { filters: [{ field: `custom.${field}`, operator, value }] },
    `/filters/0/${place}`,
  ]),
  [{ filters: [{ field: 'status', operator: 'gt', value: '1' }] }, '/filters/0/field'],
  [{ filters: [{ field: 'last_name', operator: 'before', value: '2026-01-31' }] }, '/filters/0/field'],
];

t.test('a definition that does not suit the type of an attribute is rejected at its place', async (t) => {
  const before = await prisma.report.count({ where: { accountId: client.tenant.accountId } });
  const id = await client.saved({ title: 'x' });
  for (const [body, pointer] of rejections) {
    const label = JSON.stringify(body);
    refused(t, await client.create({ title: 'x', ...body }), 'invalid_request', [pointer], label);
    refused(t, await client.send('PATCH', `/v1/reports/${id}`, body), 'invalid_request', [pointer], label);
  }
  t.equal(await prisma.report.count({ where: { accountId: client.tenant.accountId } }), before + 1);
});

t.test('the error of an unknown key lists the keys of the contract, once for each place', async (t) => {
  const { errors } = (await client.create({ title: 'x', columns: ['email', 'salary'] })).json();
  t.equal(errors.length, 1);
  t.match(errors[0], { pointer: '/columns/1', code: 'not_allowed' });
  t.match(errors[0].detail, 'must be one of id, employee_number');
});

/** A definition for each place of a key. */
const places = (name: string): readonly [string, object][] => [
  ['/columns/1', { columns: ['email', name] }],
  ['/filters/0/field', { filters: [{ field: name, operator: 'eq', value: 'x' }] }],
  ['/filters/0/field', { filters: [{ field: name, operator: 'in', value: ['x'] }] }],
  ['/filters/0/field', { filters: [{ field: name, operator: 'empty' }] }],
  ['/filters/0/field', { filters: [{ field: name, operator: 'before', value: '2026-01-31' }] }],
  ['/filters/0/field', { filters: [{ field: name, operator: 'gt', value: '1' }] }],
  ['/sort/0', { sort: [`-${name}`] }],
  ['/group_by/0', { group_by: [name] }],
  ['/measures/0/field', { group_by: ['status'], measures: [{ function: 'maximum', field: name }] }],
  [
    '/measures/1/field',
    {
      group_by: ['status'],
      measures: ['tenure', name].map((field) => ({ function: 'sum', field })),
      sort: [`sum_${name}`],
    },
  ],
];

t.test('a hidden, an archived and an unknown attribute are the same error in every place', async (t) => {
  const report = await client.saved({ title: 'x' });
  const before = await client.send('GET', `/v1/reports/${report}`);
  const answers = async (key: string) => {
    const texts: string[] = [];
    for (const [pointer, body] of places(`custom.${key}`)) {
      for (const response of [
        await client.create({ title: 'x', ...body }),
        await client.create({ title: 'x', ...body }, { 'idempotency-key': `key-${key}-${texts.length}` }),
        await client.send('PATCH', `/v1/reports/${report}`, body),
      ]) {
        refused(t, response, 'invalid_request', [pointer], `${key} ${JSON.stringify(body)}`);
        const { errors } = response.json();
        texts.push(JSON.stringify(errors));
        t.notMatch(response.body, 'custom.secret');
        t.notMatch(response.body, 'custom.old');
      }
    }
    return texts;
  };
  const unknown = await answers('unknown');
  t.same(await answers('secret'), unknown);
  t.same(await answers('old'), unknown);
  t.equal((await client.send('GET', `/v1/reports/${report}`)).headers.etag, before.headers.etag);
});

t.test('a saved report has no column that is hidden, archived or unknown', async (t) => {
  const { accountId } = client.tenant;
  const id = await client.saved({ title: 'x', columns: ['email'] });
  const columns = ['custom.secret', 'email', 'custom.old', 'custom.unknown', 'custom.remote'];
  await prisma.report.updateMany({ where: { accountId, id }, data: { columns } });
  const response = await client.send('GET', `/v1/reports/${id}/results`);
  const { data, meta } = response.json();
  t.same(Object.keys(data[0].attributes), ['email', 'custom']);
  t.same(Object.keys(data[0].attributes.custom), ['remote']);
  t.equal(meta.columns.length, 2);
  t.notMatch(response.body, 'secret');
  t.notMatch(JSON.stringify(meta.restricted), 'custom', 'hidden custom attributes are named nowhere');
  t.same(parseCsv(await client.csv(id))[0], ['email', 'custom.remote']);
});

t.test(
  'a saved report that needs a hidden, an archived or an unknown attribute is the same error',
  async (t) => {
    const { accountId } = client.tenant;
    const id = await client.saved({ title: 'x', columns: ['email'] });
    const answers = async (key: string) => {
      const name = `custom.${key}`;
      const stored = [
        { columns: [name], filters: [], sort: [], groupBy: [] },
        { columns: ['email'], filters: [{ field: name, operator: 'eq', value: 'x' }], sort: [], groupBy: [] },
        { columns: ['email'], filters: [], sort: [`-${name}`], groupBy: [] },
        { columns: [], filters: [], sort: [], groupBy: [name] },
        {
          ...{ columns: [], filters: [], sort: [], groupBy: ['status'] },
          measures: [{ function: 'sum', field: name }],
        },
      ];
      const texts: string[] = [];
      for (const data of stored) {
        await prisma.report.updateMany({ where: { accountId, id }, data: { measures: [], ...data } });
        for (const path of ['results', 'results?page[size]=1', 'results.csv']) {
          const response = await client.send('GET', `/v1/reports/${id}/${path}`);
          t.equal(response.statusCode, 400, response.body);
          texts.push(JSON.stringify(response.json().errors).replaceAll(name, 'NAME'));
        }
      }
      return texts;
    };
    const unknown = await answers('unknown');
    t.match(unknown[0], 'must be a report that does not need NAME');
    t.same(await answers('secret'), unknown);
    t.same(await answers('old'), unknown);
  },
);

t.test('a report with hidden columns can be renamed by an application, and keeps them', async (t) => {
  const { accountId } = client.tenant;
  const id = await client.saved({ title: 'x', columns: ['email'] });
  const columns = ['email', 'custom.secret'];
  await prisma.report.updateMany({ where: { accountId, id }, data: { columns } });
  const renamed = await client.send('PATCH', `/v1/reports/${id}`, { title: 'y' });
  t.equal(renamed.statusCode, 200, renamed.body);
  t.same((await prisma.report.findFirst({ where: { accountId, id } }))?.columns, columns);
});

t.test('a report does not run when its attribute was added again with another type', async (t) => {
  const own = await setUp();
  const { accountId } = own.tenant;
  const filter = { field: 'custom.cost_center', operator: 'eq', value: 'a1' };
  const id = await own.saved({ title: 'x', filters: [filter], columns: ['id'] });
  await prisma.employee.updateMany({ where: { accountId }, data: { custom: {} } });
  await prisma.customAttribute.deleteMany({ where: { accountId, key: 'cost_center' } });
  await defineAttributes(api.database, accountId, [{ key: 'cost_center', type: 'number' }]);
  const response = await own.send('GET', `/v1/reports/${id}/results`);
  t.equal(response.statusCode, 400, response.body);
  t.match(response.json().errors[0].detail, 'suit the type of custom.cost_center');
});

t.test('forged cursors of an order by custom attributes are rejected or find rows', async (t) => {
  const id = await client.saved({
    title: 'x',
    sort: ['custom.salary', '-custom.badge_until'],
    columns: ['id'],
  });
  const { links } = (await client.send('GET', `/v1/reports/${id}/results?page[size]=1`)).json();
  const next = new URL(links.next);
  const [number, size, print, anchor] = JSON.parse(
    Buffer.from(next.searchParams.get('page[after]') ?? '', 'base64url').toString(),
  );
  for (const text of ['', 'NaN', 'Infinity', '1e9', "' OR true --", '2026-02-30', '-', '9'.repeat(40)]) {
    for (const [index] of anchor.values.entries()) {
      const marker = [number, size, print, { ...anchor, values: anchor.values.with(index, text) }];
      next.searchParams.set('page[after]', Buffer.from(JSON.stringify(marker)).toString('base64url'));
      const response = await client.send('GET', `${next.pathname}${next.search}`);
      t.ok([200, 400].includes(response.statusCode), `${text}: ${response.statusCode}`);
    }
  }
});

t.test('attributes of another account are unknown', async (t) => {
  const other = await createReportClient(api, { employees: makeEmployees(1) });
  const application = await createApplication(api.database, other.tenant.accountId, {
    readableAttributes: ['custom.cost_center'],
  });
  const token = await api.token(application);
  const response = await other.send(
    'POST',
    '/v1/reports',
    { title: 'x', columns: ['custom.cost_center'] },
    {
      authorization: `Bearer ${token}`,
    },
  );
  refused(t, response, 'invalid_request', ['/columns/0']);
});

t.test('a report has at most 64 columns', async (t) => {
  const columns = Array.from({ length: 65 }, (_, index) => `custom.c${index}`);
  refused(t, await client.create({ title: 'x', columns }), 'invalid_request', ['/columns']);
});
