import { CustomAttributePurge } from '../../src/features/employees/custom-attribute-purge.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { createReportClient, parseCsv, type ReportClient, refused } from '../support/records/reports.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;
// The last minutes of a leap day in UTC: it is 1 March in Berlin.
api.clock.advanceSeconds((Date.parse('2028-02-29T23:30:00Z') - api.clock().getTime()) / 1000);

/** Employees: department, hire date, termination date, salary and end of the badge. */
const people: readonly (readonly [string, string | null, string | null, number | null, string | null])[] = [
  ['Sales', '2024-02-29', null, 1000.5, '2028-01-31'],
  ['Sales', '2026-02-28', null, 2000, null],
  ['Sales', null, null, null, '2027-12-31'],
  // Left, leaves later, and starts tomorrow.
  ['Legal', '2020-01-01', '2020-12-31', -0.0001, null],
  ['Legal', '2027-03-01', '2028-12-31', 0.0002, null],
  ['Legal', '2028-03-01', null, 0.0002, null],
  ['Payroll', null, '2027-01-31', null, null],
];

async function setUp(): Promise<ReportClient> {
  const employees = makeEmployees(people.length).map((employee, index) => {
    const [department = '', hireDate = null, terminationDate = null] = people[index] ?? [];
    return { ...employee, department, hireDate, terminationDate };
  });
  const client = await createReportClient(api, { employees });
  const { accountId, application, employeeIds } = client.tenant;
  await defineAttributes(api.database, accountId, [
    { key: 'salary', label: 'Salary', type: 'number' },
    { key: 'badge_until', label: 'Badge until', type: 'date' },
    { key: 'note' },
    { key: 'remote', type: 'boolean' },
    { key: 'secret', type: 'number' },
    { key: 'old', type: 'number', archivedAt: new Date() },
  ]);
  for (const [index, id] of employeeIds.entries()) {
    const [, , , salary, badge] = people[index] ?? [];
    await setCustomValues(api.database, accountId, id, {
      ...(salary !== null && { salary }),
      ...(badge !== null && { badge_until: badge }),
    });
  }
  const keys = ['salary', 'badge_until', 'note', 'remote', 'old'].map((key) => `custom.${key}`);
  await prisma.application.updateMany({
    where: { accountId, id: application.id },
    data: { readableAttributes: ['hire_date', 'termination_date', ...keys] },
  });
  return client;
}

const client = await setUp();

const measure = (key: string) => {
  const [name = '', ...field] = key.split('_');
  return { function: name, field: field.join('_') };
};

/** The values of the measures of each department: of Legal, Payroll and Sales. */
async function byDepartment(...keys: string[]) {
  const id = await client.saved({ title: 'x', group_by: ['department'], measures: keys.map(measure) });
  const response = await client.send('GET', `/v1/reports/${id}/results`);
  t.equal(response.statusCode, 200, response.body);
  const { data, meta } = response.json();
  t.same(
    meta.columns.map(({ key }: { key: string }) => key),
    ['department', 'count', ...keys],
  );
  for (const { attributes } of data) {
    t.same(Object.keys(attributes), ['department', 'count', 'measures']);
    t.same(Object.keys(attributes.measures), keys);
  }
  const [, ...lines] = parseCsv(await client.csv(id));
  t.same(
    lines.map((line) => line.slice(2)),
    data.map(({ attributes }: { attributes: { measures: object } }) =>
      Object.values(attributes.measures).map((value) => String(value ?? '')),
    ),
    'CSV has the same values',
  );
  return {
    columns: meta.columns.slice(2),
    values: data.map(({ attributes }: { attributes: { measures: object } }) =>
      Object.values(attributes.measures),
    ),
  };
}

// 1461 days, 731 days; 365 days, 365 days until today, and none for the one who starts tomorrow.
t.test('tenure has every function: until today in UTC, or the termination if it is earlier', async (t) => {
  t.same((await byDepartment('sum_tenure', 'average_tenure', 'minimum_tenure', 'maximum_tenure')).values, [
    [2, 1, 1, 1],
    [null, null, null, null],
    [6, 3, 2, 4],
  ]);
});

t.test('custom numbers have every function, and averages of 4 decimals', async (t) => {
  const keys = ['sum', 'average', 'minimum', 'maximum'].map((name) => `${name}_custom.salary`);
  t.same((await byDepartment(...keys)).values, [
    [0.0003, 0.0001, -0.0001, 0.0002],
    [null, null, null, null],
    [3000.5, 1500.25, 1000.5, 2000],
  ]);
});

t.test('dates have a minimum and a maximum', async (t) => {
  const keys = ['hire_date', 'termination_date', 'custom.badge_until'];
  const { values, columns } = await byDepartment(
    ...['minimum', 'maximum'].flatMap((name) => keys.slice(0, 2).map((key) => `${name}_${key}`)),
    'maximum_custom.badge_until',
  );
  t.same(values, [
    ['2020-01-01', '2020-12-31', '2028-03-01', '2028-12-31', null],
    [null, '2027-01-31', null, '2027-01-31', null],
    ['2024-02-29', null, '2026-02-28', null, '2028-01-31'],
  ]);
  t.same(
    columns.map(({ label, type }: { label: string; type: string }) => `${label}: ${type}`),
    [
      ...['Minimum of Hire date: date', 'Minimum of Termination date: date', 'Maximum of Hire date: date'],
      ...['Maximum of Termination date: date', 'Maximum of Badge until: date'],
    ],
  );
  t.same((await byDepartment('minimum_custom.badge_until')).values, [[null], [null], ['2027-12-31']]);
  const { columns: numbers } = await byDepartment('average_tenure', 'sum_custom.salary');
  t.match(numbers, [
    { key: 'average_tenure', label: 'Average of Tenure (years)', type: 'number' },
    { key: 'sum_custom.salary', label: 'Sum of Salary', type: 'number' },
  ]);
});

t.test('a report without rows has the columns of its measures', async (t) => {
  const filters = [{ field: 'department', operator: 'eq', value: 'None' }];
  const id = await client.saved({
    title: 'x',
    group_by: ['department'],
    measures: [measure('sum_tenure')],
    filters,
  });
  t.same((await client.allRows(id)).length, 0);
  t.equal(await client.csv(id), 'department,count,sum_tenure\n');
});

t.test('pages continue after groups with equal measures and with null', async (t) => {
  for (const sort of ['maximum_tenure', '-maximum_tenure', '-minimum_hire_date', 'average_custom.salary']) {
    const id = await client.saved({
      title: 'x',
      group_by: ['hire_date', 'termination_date'],
      measures: [sort.replace('-', ''), 'sum_tenure'].map(measure),
      sort: [sort, '-sum_tenure'],
    });
    const whole = await client.allRows(id, 50);
    t.equal(whole.length, 7);
    t.same(await client.allRows(id, 1), whole, sort);
    t.same(await client.allRows(id, 3), whole, sort);
    const values = whole.map(({ attributes }) => Object(attributes.measures)[sort.replace('-', '')]);
    t.equal(values.at(sort.startsWith('-') ? 0 : -1), null, 'null is last in ascending order');
    const [, ...lines] = parseCsv(await client.csv(id));
    t.same(
      lines.map((line) => line[3]),
      values.map((value) => String(value ?? '')),
    );
  }
});

t.test('a sum of more digits than a number of JSON keeps its place after a cursor', async (t) => {
  const own = await setUp();
  for (const id of own.tenant.employeeIds.slice(0, 4))
    await setCustomValues(api.database, own.tenant.accountId, id, { salary: 99_999_999_999.9999 });
  const id = await own.saved({
    title: 'x',
    group_by: ['department'],
    measures: [measure('sum_custom.salary')],
    sort: ['-sum_custom.salary'],
  });
  t.same(
    (await own.allRows(id, 1)).map(({ attributes }) => attributes.department),
    ['Payroll', 'Sales', 'Legal'],
  );
});

const grouped = (...measures: unknown[]) => ({ group_by: ['department'], measures });
const tenure = measure('sum_tenure');

const rejections: readonly [body: object, pointers: string[], detail?: RegExp | string][] = [
  [
    grouped({ ...tenure, function: 'median' }),
    ['/measures/0/function'],
    'one of sum, average, minimum, maximum',
  ],
  [grouped({ ...tenure, field: 'department' }), ['/measures/0/field'], 'one of tenure, hire_date'],
  [grouped({ ...tenure, field: 'updated_at' }), ['/measures/0/field']],
  [grouped({ ...tenure, field: 'id' }), ['/measures/0/field']],
  [grouped({ ...tenure, field: 'custom.' }), ['/measures/0/field']],
  [grouped({ ...tenure, field: "custom.x') --" }), ['/measures/0/field']],
  [grouped({ ...tenure, field: 5 }), ['/measures/0/field']],
  [grouped({ ...tenure, label: 'x' }), ['/measures/0/label'], 'valid members are function, field'],
  [grouped({ function: 'sum' }), ['/measures/0/field'], 'is required'],
  [grouped({ field: 'tenure' }), ['/measures/0/function'], 'is required'],
  [grouped(tenure, 'x', null), ['/measures/1', '/measures/2']],
  [{ ...grouped(), measures: tenure }, ['/measures']],
  [grouped(tenure, measure('sum_hire_date')), ['/measures/1/field'], 'sums and averages are of numbers'],
  [grouped(measure('average_termination_date')), ['/measures/0/field']],
  [grouped(measure('sum_custom.badge_until')), ['/measures/0/field']],
  [grouped(measure('average_custom.badge_until')), ['/measures/0/field']],
  [grouped(measure('minimum_custom.note')), ['/measures/0/field']],
  [grouped(measure('maximum_custom.remote')), ['/measures/0/field']],
  [grouped(tenure, measure('average_tenure'), tenure), ['/measures/2'], 'must not be repeated'],
  [
    grouped(
      ...['sum', 'average', 'minimum', 'maximum'].map((name) => measure(`${name}_tenure`)),
      tenure,
      tenure,
    ),
    ['/measures'],
    'at most 5 items',
  ],
  ...['secret', 'old', 'unknown'].map((key): (typeof rejections)[number] => [
    grouped(tenure, measure(`sum_custom.${key}`)),
    ['/measures/1/field'],
    'must be one of tenure, hire_date, termination_date, custom.salary, custom.badge_until',
  ]),
  [{ measures: [tenure] }, ['/measures'], 'must be omitted or empty in a report without group_by'],
  [{ columns: ['email'], measures: [tenure] }, ['/measures'], 'in a report without group_by'],
  [{ ...grouped(tenure), sort: ['average_tenure'] }, ['/sort/0'], 'or one of the measures'],
  [{ ...grouped(tenure), sort: ['tenure'] }, ['/sort/0']],
  [{ ...grouped(tenure), sort: ['sum_custom.salary'] }, ['/sort/0']],
  [{ ...grouped(tenure), sort: ['median_tenure'] }, ['/sort/0']],
  [{ columns: ['email'], sort: ['sum_tenure'] }, ['/sort/0']],
  [{ columns: ['tenure'] }, ['/columns/0']],
  [{ group_by: ['tenure'] }, ['/group_by/0']],
  [{ filters: [{ field: 'tenure', operator: 'eq', value: '1' }] }, ['/filters/0/field']],
];

t.test('an invalid measure is rejected at its place, in a creation and a change', async (t) => {
  const { accountId } = client.tenant;
  const list = await client.saved({ title: 'x', columns: ['email'] });
  const before = await prisma.report.count({ where: { accountId } });
  for (const [body, pointers, detail] of rejections) {
    const label = JSON.stringify(body);
    for (const response of [
      await client.create({ title: 'x', ...body }),
      await client.send('PATCH', `/v1/reports/${list}`, body),
    ]) {
      refused(t, response, 'invalid_request', pointers, label);
      if (detail !== undefined) t.match(JSON.stringify(response.json().errors), detail, label);
    }
  }
  t.equal(await prisma.report.count({ where: { accountId } }), before);
});

t.test('a change keeps, replaces and drops measures as it changes the shape of the report', async (t) => {
  const id = await client.saved({ title: 'x', group_by: ['department'], measures: [tenure] });
  const patch = async (body: object) => {
    const response = await client.send('PATCH', `/v1/reports/${id}`, body);
    return response.statusCode === 200 ? response.json().data.attributes.measures : response;
  };
  t.same(await patch({ title: 'y' }), [tenure]);
  t.same(await patch({ group_by: ['status'] }), [tenure], 'another group keeps them');
  const two = [measure('average_tenure'), measure('maximum_hire_date')];
  t.same(await patch({ measures: two, sort: ['-average_tenure'] }), two);
  refused(t, await patch({ measures: [] }), 'invalid_request', ['/sort/0'], 'the order needs them');
  refused(t, await patch({ columns: ['email'] }), 'invalid_request', ['/sort/0']);
  refused(t, await patch({ group_by: [], sort: [], measures: two }), 'invalid_request', ['/measures']);
  t.same(await patch({ columns: ['email'], sort: [] }), [], 'a list has none');
  t.same(await patch({ group_by: ['status'] }), [], 'they do not come back');
  t.same(await patch({ measures: [tenure], sort: ['sum_tenure'] }), [tenure]);
  t.same(await patch({ group_by: [], sort: [] }), []);
  t.same(await patch({ measures: [] }), [], 'none is valid for a list');
});

t.test('events have the measures, and name them when they change', async (t) => {
  const own = await setUp();
  const id = await own.saved({ title: 'x', group_by: ['department'], measures: [tenure] });
  await own.send('PATCH', `/v1/reports/${id}`, { measures: [measure('maximum_hire_date'), tenure] });
  await own.send('PATCH', `/v1/reports/${id}`, { title: 'y' });
  await own.send('PATCH', `/v1/reports/${id}`, { columns: ['email'] });
  // The feed omits events of the time before the clock of this test.
  const events = await prisma.event.findMany({
    where: { accountId: own.tenant.accountId, type: { startsWith: 'report.' } },
    orderBy: { position: 'asc' },
  });
  t.same(
    events.map(({ changed }) => changed),
    [[], ['measures'], ['title'], ['columns', 'group_by', 'measures']],
  );
  const two = [measure('maximum_hire_date'), tenure];
  t.same(
    events.map(({ attributes }) => Object(attributes).measures),
    [[tenure], two, two, []],
  );
});

t.test('a report that was stored before has no measures', async (t) => {
  const { accountId } = client.tenant;
  await prisma.$executeRaw`INSERT INTO reports (account_id, id, title, group_by, updated_at)
    VALUES (${accountId}, 'before', 'Before', '{department}', now())`;
  const { attributes } = (await client.send('GET', '/v1/reports/before')).json().data;
  t.same(attributes.measures, []);
  const rows = await client.allRows('before');
  t.same(Object.keys(rows[0]?.attributes ?? {}), ['department', 'count']);
});

t.test('a report needs the attributes of its measures, also after they were deleted', async (t) => {
  const own = await setUp();
  const { accountId, application } = own.tenant;
  const id = await own.saved({
    title: 'x',
    group_by: ['department'],
    measures: [tenure, measure('sum_custom.salary')],
  });
  const stated = async (expected: RegExp | string) => {
    for (const path of ['results', 'results.csv']) {
      const response = await own.send('GET', `/v1/reports/${id}/${path}`);
      t.equal(response.statusCode, 400, response.body);
      t.match(response.json().errors[0].detail, expected);
    }
  };
  const restrict = (readableAttributes: string[]) =>
    prisma.application.updateMany({ where: { accountId, id: application.id }, data: { readableAttributes } });
  await restrict(['hire_date', 'custom.salary']);
  await stated('a report that does not need termination_date');
  await restrict(['termination_date', 'custom.salary']);
  await stated('a report that does not need hire_date');
  await restrict(['hire_date', 'termination_date']);
  await stated('a report that does not need custom.salary');
  await restrict(['hire_date', 'termination_date', 'custom.salary']);
  t.equal((await own.send('GET', `/v1/reports/${id}/results`)).statusCode, 200);

  await prisma.customAttribute.updateMany({
    where: { accountId, key: 'salary' },
    data: { archivedAt: new Date(), purgeRequestedAt: new Date() },
  });
  await stated('a report that does not need custom.salary');
  await new CustomAttributePurge(api).purge(accountId, 'salary');
  await stated('a report that does not need custom.salary');
  await defineAttributes(api.database, accountId, [{ key: 'salary', type: 'date' }]);
  await restrict(['hire_date', 'termination_date', 'custom.salary']);
  await stated('suit the type of custom.salary');
});
