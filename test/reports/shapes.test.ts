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
  ]) {
    const created = await create({ title: 'x', ...body });
    t.equal(created.statusCode, 201, created.body);
    t.match(created.json().data.attributes, body);
    const updated = await send('PATCH', `/v1/reports/${created.json().data.id}`, { title: 'y', ...body });
    t.equal(updated.statusCode, 200, updated.body);
  }
});

const malformed: [label: string, body: object, errors: object[]][] = [
  [
    'columns and group_by',
    { columns: ['email', 'id'], group_by: ['department'] },
    [
      {
        pointer: '/columns',
        code: 'conflict',
        detail: '/columns must be omitted or empty when group_by has columns.',
      },
    ],
  ],
  [
    'a list for eq',
    { filters: [{ field: 'status', operator: 'eq', value: ['active'] }] },
    [{ pointer: '/filters/0/value', code: 'type', detail: '/filters/0/value must be a string.' }],
  ],
  [
    'a string for in',
    { filters: [{ field: 'status', operator: 'in', value: 'active' }] },
    [{ pointer: '/filters/0/value', code: 'type', detail: '/filters/0/value must be an array.' }],
  ],
  [
    'before for a text column',
    { filters: [{ field: 'last_name', operator: 'before', value: 'M' }] },
    [
      {
        pointer: '/filters/0/field',
        code: 'not_allowed',
        detail: '/filters/0/field must be one of hire_date, termination_date, updated_at.',
      },
    ],
  ],
  [
    'a list for after',
    { filters: [{ field: 'hire_date', operator: 'after', value: ['2026-01-01'] }] },
    [{ pointer: '/filters/0/value', code: 'type', detail: '/filters/0/value must be a string.' }],
  ],
  [
    'a date for a timestamp',
    { filters: [{ field: 'updated_at', operator: 'before', value: '2026-01-01' }] },
    [
      {
        pointer: '/filters/0/value',
        code: 'format',
        detail: '/filters/0/value must be an RFC 3339 date-time with a time zone.',
      },
    ],
  ],
  ...['2026-02-29', '0000-01-01', '2026-1-1', '2026-01-01T00:00:00Z', '', 'infinity', '10000-01-01'].map(
    (value): (typeof malformed)[number] => [
      `a value that is not a date: ${value}`,
      { filters: [{ field: 'hire_date', operator: 'after', value }] },
      [
        {
          pointer: '/filters/0/value',
          code: 'format',
          detail: '/filters/0/value must be an RFC 3339 date, YYYY-MM-DD.',
        },
      ],
    ],
  ),
  [
    'an unknown operator',
    { filters: [{ field: 'status', operator: 'like', value: 'active' }] },
    [
      {
        pointer: '/filters/0/operator',
        code: 'not_allowed',
        detail:
          '/filters/0/operator must be one of eq, not_eq, contains, starts_with, before, after, in, not_in.',
      },
    ],
  ],
  [
    'an unknown group',
    { group_by: ['salary'] },
    [
      {
        pointer: '/group_by/0',
        code: 'not_allowed',
        detail: `/group_by/0 must be one of ${columnKeys.join(', ')}, hire_year.`,
      },
    ],
  ],
  [
    'a list report with the year of hire',
    { columns: ['hire_year'] },
    [
      {
        pointer: '/columns/0',
        code: 'not_allowed',
        detail: `/columns/0 must be one of ${columnKeys.join(', ')}.`,
      },
    ],
  ],
  [
    'a filter of the year of hire',
    { filters: [{ field: 'hire_year', operator: 'eq', value: '2024' }] },
    [
      {
        pointer: '/filters/0/field',
        code: 'not_allowed',
        detail: `/filters/0/field must be one of ${columnKeys.join(', ')}.`,
      },
    ],
  ],
  [
    'a filter that is not an object',
    { filters: [null, 'x', []] },
    [0, 1, 2].map((index) => ({
      pointer: `/filters/${index}`,
      code: 'type',
      detail: `/filters/${index} must be an object.`,
    })),
  ],
  [
    'a column that is not text',
    { columns: [1] },
    [{ pointer: '/columns/0', code: 'type', detail: '/columns/0 must be a string.' }],
  ],
  [
    'no columns and no groups',
    { columns: [], group_by: [] },
    [{ pointer: '/columns', code: 'too_short', detail: '/columns must have 1 to 13 items.' }],
  ],
  [
    'no list of groups',
    { group_by: 'status' },
    [{ pointer: '/group_by', code: 'type', detail: '/group_by must be an array.' }],
  ],
  [
    'an unknown member of a grouped report',
    { group_by: ['status'], colums: [] },
    [
      {
        pointer: '/colums',
        code: 'unknown',
        detail: '/colums is unknown; valid members are title, description, columns, filters, sort, group_by.',
      },
    ],
  ],
];

t.test('rejects a body of neither shape, and names the errors of the more likely one', async (t) => {
  const { create, saved, send } = await createReportClient(api);
  const id = await saved({ title: 'x' });
  for (const [label, body, errors] of malformed) {
    const response = await create({ title: 'x', ...body });
    refused(t, response, 'invalid_request', undefined, label);
    t.same(response.json().errors, errors, label);
    t.same((await send('PATCH', `/v1/reports/${id}`, body)).json().errors, errors, `${label}, in an update`);
  }
  const sorted = await create({ title: 'x', columns: ['email'], sort: ['-count'] });
  t.same(
    sorted.json().errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/sort/0'],
  );
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
