import { computedGroupKeys } from '../../src/features/reports/computed-keys.js';
import { columnKeys } from '../support/records/naive-report.js';
import { createReportClient, refused } from '../support/records/reports.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

t.test('accepts list reports and grouped reports, with the other member omitted or empty', async (t) => {
  const { create, send } = await createReportClient(api);
  for (const body of [
    {},
    { columns: ['email'], group_by: [] },
    { group_by: ['department'], columns: [], sort: ['-count'] },
    { filters: [{ field: 'status', operator: 'in', value: ['active'] }] },
    { filters: [{ field: 'hire_date', operator: 'before', value: '2026-01-01' }] },
    { filters: [{ field: 'updated_at', operator: 'after', value: '2026-01-01T00:00:00Z' }] },
    { filters: [{ field: 'updated_at', operator: 'on_or_after', value: 'start_of_last_week' }] },
    { filters: [{ field: 'hire_date', operator: 'not_in', value: ['today', '-99999d', '+1d'] }] },
    { filters: [{ field: 'manager_id', operator: 'empty' }] },
    { filters: [{ field: 'hire_date', operator: 'not_empty' }] },
  ]) {
    const created = await create({ title: 'x', ...body });
    t.equal(created.statusCode, 201, created.body);
    t.match(created.json().data.attributes, body);
    const updated = await send('PATCH', `/v1/reports/${created.json().data.id}`, { title: 'y', ...body });
    t.equal(updated.statusCode, 200, updated.body);
  }
});

const filter = (changes: object) => ({
  filters: [{ field: 'status', operator: 'eq', value: 'active', ...changes }],
});

const filterFields = columnKeys.join(', ');

const relative = 'or a relative date such as today, -90d or start_of_month';

/** Invalid bodies, and the pointer, code and rule of their only error. */
const malformed: [body: object, pointer: string, code: string, rule: string][] = [
  [
    { columns: ['email', 'id'], group_by: ['department'] },
    '/columns',
    'conflict',
    'must be omitted or empty when group_by has columns',
  ],
  [filter({ value: ['active'] }), '/filters/0/value', 'type', 'must be a string'],
  [filter({ operator: 'in' }), '/filters/0/value', 'type', 'must be an array'],
  [
    filter({ operator: 'before', value: 'M' }),
    '/filters/0/field',
    'not_allowed',
    'must be one of hire_date, termination_date, updated_at',
  ],
  [
    filter({ field: 'hire_date', operator: 'after', value: ['2026-01-01'] }),
    '/filters/0/value',
    'type',
    'must be a string',
  ],
  ...'2026-01-01 yesterday 2026-02-29T00:00:00Z 2026-01-01T00:00:00 0000-01-01T00:00:00Z 2026-01-01T23:59:60Z'
    .split(' ')
    .concat('2026-01-01T24:00:00Z', '9999-12-31T23:59:59-01:00', '2026-13-01T00:00:00Z', '')
    .concat('0001-01-01T00:00:00+01:00', "2026-01-01T00:00:00Z'; --", '2026-01-01 00:00:00Z', '-1h')
    .map((value): (typeof malformed)[number] => [
      filter({ field: 'updated_at', value }),
      '/filters/0/value',
      'format',
      `must be an RFC 3339 date-time with a time zone, ${relative}`,
    ]),
  ...['2026-02-29', '0000-01-01', '2026-1-1', '2026-01-01T00:00:00Z', '', 'infinity', '10000-01-01']
    .concat('Today', 'yesterday', '90d', '-0d', '-090d', '-100000d', '+1.5d', '-90d ', '-90D', '- 1d', '-1w')
    .concat('start_of', 'start_of_day', 'start_of_this_month', 'start_of_last_', 'end_of_month', 'now')
    .map((value): (typeof malformed)[number] => [
      filter({ field: 'hire_date', operator: 'after', value }),
      '/filters/0/value',
      'format',
      `must be an RFC 3339 date, YYYY-MM-DD, ${relative}`,
    ]),
  [
    filter({ operator: 'empty' }),
    '/filters/0/value',
    'unknown',
    'is unknown; valid members are field, operator',
  ],
  [
    filter({ operator: 'like' }),
    '/filters/0/operator',
    'not_allowed',
    'must be one of eq, not_eq, contains, starts_with, before, after, on_or_before, on_or_after, empty, not_empty, lt, lte, gt, gte, in, not_in',
  ],
  [
    { group_by: ['salary'] },
    '/group_by/0',
    'not_allowed',
    `must be one of ${filterFields}, ${computedGroupKeys.join(', ')}`,
  ],
  [{ columns: ['hire_year'] }, '/columns/0', 'not_allowed', `must be one of ${filterFields}`],
  [filter({ field: 'hire_year' }), '/filters/0/field', 'not_allowed', `must be one of ${filterFields}`],
  [{ columns: [1] }, '/columns/0', 'type', 'must be a string'],
  [{ columns: [], group_by: [] }, '/columns', 'too_short', 'must have 1 to 64 items'],
  [{ group_by: 'status' }, '/group_by', 'type', 'must be an array'],
  [
    { group_by: ['status'], colums: [] },
    '/colums',
    'unknown',
    'is unknown; valid members are title, description, columns, filters, sort, group_by, measures',
  ],
];

t.test('rejects a body of neither shape, and names the errors of the more likely one', async (t) => {
  const { create, saved, send } = await createReportClient(api);
  const id = await saved({ title: 'x' });
  for (const [body, pointer, code, rule] of malformed) {
    const label = JSON.stringify(body);
    const errors = [{ pointer, code, detail: `${pointer} ${rule}.` }];
    const response = await create({ title: 'x', ...body });
    refused(t, response, 'invalid_request', undefined, label);
    t.same(response.json().errors, errors, label);
    t.same((await send('PATCH', `/v1/reports/${id}`, body)).json().errors, errors, `${label}, in an update`);
  }
  t.equal(
    (await send('PATCH', `/v1/reports/${id}`, {})).json().detail,
    'The body must have at least 1 member.',
  );
  const long = await create({ title: 'x', columns: Array.from({ length: 1001 }, () => 1) });
  t.equal(long.json().detail, '/columns must have at most 1000 items.');
  const many = await create({ title: 'x', columns: Array.from({ length: 30 }, () => 1) });
  t.equal(
    many.json().detail,
    'The request has more than 20 validation errors. The first 20 are listed in errors.',
  );
});

t.test('rejects every malformed member by its pointer, and stores nothing', async (t) => {
  const { create, tenant } = await createReportClient(api);
  const valid = filter({}).filters[0];
  const cases: [body: object, ...pointers: string[]][] = [
    [{ title: undefined }, '/title'],
    [{ title: '' }, '/title'],
    [{ title: 'x'.repeat(256) }, '/title'],
    [{ title: 1 }, '/title'],
    [{ title: null }, '/title'],
    [{ title: 'a\u0000b' }, '/title'],
    [{ title: '\ud800' }, '/title'],
    [{ 'a/b~c~1d': ['y', '\u0000'] }, '/a~1b~0c~01d/1'],
    [{ 'a/b': { '\u0000': 1 } }, '/a~1b/?'],
    [{ 'a/b': { c: Array(1_001).fill(1) } }, '/a~1b/c'],
    [{ 'a/b': { c: Array(1_000).fill(1) } }, '/a~1b'],
    [{ description: 'x'.repeat(2001) }, '/description'],
    [{ created_at: '2026-01-01T00:00:00Z' }, '/created_at'],
    [{ columns: ['id', 'salary'] }, '/columns/1'],
    [{ group_by: ['count'] }, '/group_by/0'],
    [{ group_by: ['id', 'status', 'email'] }, '/group_by'],
    [{ sort: ['last_name', 'salary'] }, '/sort/1'],
    [{ sort: columnKeys.slice(0, 6) }, '/sort'],
    [{ sort: ['-count'] }, '/sort/0'],
    [{ sort: ['-hire_year'] }, '/sort/0'],
    [{ sort: ['hire_year'], group_by: ['location'] }, '/sort/0'],
    [{ sort: ['count', 'email'], group_by: ['status'] }, '/sort/1'],
    [{ filters: [null, 'x', []] }, '/filters/0', '/filters/1', '/filters/2'],
    [{ filters: [{ operator: 'eq', value: 'x' }] }, '/filters/0/field'],
    [{ filters: Array.from({ length: 21 }, () => valid) }, '/filters'],
    [filter({ field: 'salary' }), '/filters/0/field'],
    [filter({ extra: 1 }), '/filters/0/extra'],
    [filter({ value: 5 }), '/filters/0/value'],
    [filter({ value: null }), '/filters/0/value'],
    [filter({ operator: 'contains', value: ['a'] }), '/filters/0/value'],
    [filter({ operator: 'in', value: [] }), '/filters/0/value'],
    [filter({ field: 'updated_at', operator: 'contains', value: '2026' }), '/filters/0/operator'],
    [
      filter({ field: 'updated_at', operator: 'in', value: ['2026-01-01T00:00:00Z', 'x'] }),
      '/filters/0/value/1',
    ],
    [
      { columns: ['id'], group_by: ['status'], sort: ['id'], ...filter({ operator: 'in', value: 'x' }) },
      '/columns',
      '/filters/0/value',
    ],
  ];
  for (const [body, ...pointers] of cases) {
    const label = JSON.stringify(body).slice(0, 200);
    const response = await create({ title: 'x', ...body });
    t.equal(response.statusCode, 400, label);
    refused(t, response, 'invalid_request', pointers, label);
  }
  for (const body of [[], null, 'x', 1]) {
    t.equal((await create(body as unknown as object)).statusCode, 400, JSON.stringify(body));
  }
  const where = { accountId: tenant.accountId };
  t.equal(await api.database.prisma.report.count({ where }), 0);
  t.equal(
    await api.database.prisma.auditEvent.count({ where: { ...where, type: { startsWith: 'report.' } } }),
    0,
  );
});

t.test('rejects a body that is not a JSON object, of another type, or too large', async (t) => {
  const { send, token } = await createReportClient(api);
  for (const [payload, type, status] of [
    ['{"title":', 'application/json', 400],
    ['', 'application/json', 400],
    ['title=x', 'application/x-www-form-urlencoded', 415],
    ['{"title":"x"}', 'text/plain', 415],
    ['{"title":"x"}', 'application/json; charset=utf-8', 201],
    [JSON.stringify({ title: 'x', description: 'y'.repeat(65_536) }), 'application/json', 413],
  ] as const) {
    const headers = { authorization: `Bearer ${token}`, 'content-type': type };
    const response = await api.app.inject({ method: 'POST', url: '/v1/reports', payload, headers });
    t.equal(response.statusCode, status, `${type} ${payload.slice(0, 20)}`);
  }
  const untyped = await send('POST', '/v1/reports');
  t.equal(untyped.statusCode, 400);
  t.equal(untyped.json().detail, 'A body of type application/json is required.');
});
