import { countedDays } from '../../src/features/reports/computed-keys.js';
import { drawnChart } from '../support/browser/chart.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { createdId, createReport, reportsPath, tableRows } from '../support/browser/report-pages.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { createReportClient, parseCsv, refused } from '../support/records/reports.js';
import { makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
// The last minutes of a day in UTC: it is the next one in Berlin.
api.clock.advanceSeconds((Date.parse('2028-02-28T23:30:00Z') - api.clock().getTime()) / 1000);

type Dates = readonly [hireDate: string | null, terminationDate?: string | null];

const employed = (dates: readonly Dates[]): TestEmployee[] =>
  makeEmployees(dates.length).map((employee, index) => {
    const [hireDate = null, terminationDate = null] = dates[index] ?? [];
    return { ...employee, hireDate, terminationDate };
  });

/** The rows of a grouped report, as arrays of values, from pages of one row. */
async function rowsOf(dates: readonly Dates[], definition: object) {
  const client = await createReportClient(api, { employees: employed(dates) });
  const id = await client.saved({ title: 'x', ...definition });
  const rows = (await client.allRows(id, 1)).map(({ attributes }) => Object.values(attributes));
  const { meta } = (await client.send('GET', `/v1/reports/${id}/results`)).json();
  t.equal(meta.record_count, rows.length);
  const [, ...lines] = parseCsv(await client.csv(id));
  t.same(
    lines,
    rows.map((row) => row.map((value) => String(value ?? ''))),
    'CSV has the same rows',
  );
  return { rows, columns: meta.columns };
}

t.test('months and years of both dates are groups in their order, and null is one of its own', async (t) => {
  const dates: readonly Dates[] = [
    ['2024-02-29', '2026-12-31'],
    ['2024-02-01', '2027-01-01'],
    ['2023-12-31', null],
    [null, '0001-01-01'],
    ['9999-12-31'],
  ];
  const months = await rowsOf(dates, { group_by: ['hire_month'] });
  t.same(months.rows, [
    ['2023-12', 1],
    ['2024-02', 2],
    ['9999-12', 1],
    [null, 1],
  ]);
  t.same(months.columns[0], { key: 'hire_month', label: 'Hire month', type: 'string' });
  const left = await rowsOf(dates, { group_by: ['termination_month'], sort: ['-termination_month'] });
  t.same(left.rows, [
    [null, 2],
    ['2027-01', 1],
    ['2026-12', 1],
    ['0001-01', 1],
  ]);
  const years = await rowsOf(dates, { group_by: ['termination_year'], sort: ['-count', 'termination_year'] });
  t.same(years.rows, [
    [null, 2],
    [1, 1],
    [2026, 1],
    [2027, 1],
  ]);
  t.same(years.columns[0], { key: 'termination_year', label: 'Termination year', type: 'integer' });
});

/** Employments that end or are counted on 28 February 2028, and the band of each. */
const bands: readonly (readonly [from: string | null, to: string | null, band: string | null])[] = [
  ['2028-02-28', null, 'under 1 year'],
  ['2027-03-01', null, 'under 1 year'],
  ['2027-02-28', null, '1–2 years'],
  ['2025-03-01', null, '1–2 years'],
  ['2025-02-28', null, '3–5 years'],
  // The anniversary of 29 February is that day in a leap year, and 1 March in others.
  ['2024-02-29', null, '3–5 years'],
  ['2024-02-29', '2027-02-28', '1–2 years'],
  ['2024-02-29', '2027-03-01', '3–5 years'],
  ['2022-02-28', null, '6–10 years'],
  ['2017-03-01', null, '6–10 years'],
  ['2017-02-28', null, 'over 10 years'],
  ['0001-01-01', null, 'over 10 years'],
  ['2000-01-01', '2000-12-31', 'under 1 year'],
  // A termination in the future does not count yet.
  ['2027-06-01', '2040-01-01', 'under 1 year'],
  ['2028-02-29', null, null],
  ['2020-01-01', '2019-12-31', null],
  [null, '2027-01-01', null],
  [null, null, null],
];

t.test('tenure bands are of the full years until today in UTC, or the termination', async (t) => {
  const dates = bands.map(([from, to]): Dates => [from ?? null, to ?? null]);
  const client = await createReportClient(api, { employees: employed(dates) });
  const id = await client.saved({ title: 'x', group_by: ['tenure_band', 'id'] });
  const found = new Map(
    (await client.allRows(id, 2)).map(({ attributes }) => [attributes.id, attributes.tenure_band]),
  );
  t.same(
    client.tenant.employeeIds.map((employee, index) => [bands[index]?.slice(0, 2), found.get(employee)]),
    bands.map(([from, to, band]) => [[from, to], band]),
  );
});

t.test('tenure bands are ordered by length', async (t) => {
  const order = ['under 1 year', '1–2 years', '3–5 years', '6–10 years', 'over 10 years', null];
  const dates = bands.map(([from, to]): Dates => [from ?? null, to ?? null]);
  const { rows } = await rowsOf(dates, { group_by: ['tenure_band'] });
  t.same(
    rows.map(([band]) => band),
    order,
  );
  const reversed = await rowsOf(dates, { group_by: ['tenure_band'], sort: ['-tenure_band'] });
  t.same(
    reversed.rows.map(([band]) => band),
    order.toReversed(),
  );
});

t.test('employees are counted at the end of the last 12 complete months, and today', async (t) => {
  t.same(countedDays('2028-02-28'), [
    ...['2027-02-28', '2027-03-31', '2027-04-30', '2027-05-31', '2027-06-30', '2027-07-31', '2027-08-31'],
    ...['2027-09-30', '2027-10-31', '2027-11-30', '2027-12-31', '2028-01-31', '2028-02-28'],
  ]);
  t.same(countedDays('2028-02-29').slice(-2), ['2028-01-31', '2028-02-29']);
  t.same(countedDays('2029-03-31')[11], '2029-02-28');
  t.same(countedDays('2028-03-01')[11], '2028-02-29');
});

t.test('employed_month has each employee in the months in which they were employed', async (t) => {
  const dates: readonly Dates[] = [
    // Hired and terminated on a counted day, and a day beside it. The termination date is the last day of employment.
    ['2027-12-31', '2028-01-31'],
    ['2028-01-01', '2028-01-30'],
    ['2028-02-28', null],
    ['2028-02-29', null],
    ['2020-01-01', '2027-02-28'],
    ['2020-01-01', '2027-02-27'],
    ['2028-01-31', '2028-02-28'],
    ['2028-01-31', '2028-02-27'],
    ['2027-11-30', '2030-01-01'],
    [null, null],
    [null, '2028-02-28'],
    ['2028-01-31', '2028-01-01'],
  ];
  const { rows, columns } = await rowsOf(dates, { group_by: ['employed_month'] });
  t.same(rows, [
    ['2027-02', 1],
    ['2027-11', 1],
    ['2027-12', 2],
    ['2028-01', 4],
    ['2028-02', 3],
  ]);
  t.same(columns[0], { key: 'employed_month', label: 'Month of employment', type: 'string' });
  const filtered = await rowsOf(dates, {
    group_by: ['hire_date', 'employed_month'],
    filters: [{ field: 'hire_date', operator: 'after', value: '2027-12-31' }],
    sort: ['-employed_month', '-count'],
  });
  t.same(filtered.rows, [
    ['2028-01-31', '2028-02', 1],
    ['2028-02-28', '2028-02', 1],
    ['2028-01-31', '2028-01', 2],
  ]);
});

t.test('a headcount has measures of the employees of each month, with the tenure of today', async (t) => {
  const { rows } = await rowsOf(
    [['2027-02-28'], ['2028-02-01', '2028-02-28'], ['2026-02-28', '2027-12-31']],
    {
      group_by: ['employed_month'],
    },
  );
  t.same(rows.at(-1), ['2028-02', 2]);
  const client = await createReportClient(api, {
    employees: employed([['2027-02-28'], ['2028-02-28'], ['2020-01-01', '2027-02-28']]),
  });
  const id = await client.saved({
    title: 'x',
    group_by: ['employed_month'],
    measures: ['sum', 'average'].map((name) => ({ function: name, field: 'tenure' })),
    sort: ['-sum_tenure', 'employed_month'],
  });
  const found = (await client.allRows(id, 5)).map(({ attributes }) => Object.values(attributes));
  t.equal(found.length, 13);
  t.same(found[0], ['2027-02', 2, { sum_tenure: 8.16, average_tenure: 4.08 }]);
  t.same(found.at(-1), ['2028-02', 2, { sum_tenure: 1, average_tenure: 0.5 }]);
});

t.test('computed keys are for groups only', async (t) => {
  const { create } = await createReportClient(api);
  for (const key of [
    'hire_month',
    'termination_year',
    'termination_month',
    'tenure_band',
    'employed_month',
  ]) {
    refused(t, await create({ title: 'x', columns: [key] }), 'invalid_request', ['/columns/0'], key);
    refused(t, await create({ title: 'x', sort: [key] }), 'invalid_request', ['/sort/0'], key);
    const filters = [{ field: key, operator: 'eq', value: '1' }];
    refused(t, await create({ title: 'x', filters }), 'invalid_request', ['/filters/0/field'], key);
    const other = { group_by: ['status'], sort: [key] };
    refused(t, await create({ title: 'x', ...other }), 'invalid_request', ['/sort/0'], key);
  }
});

async function chartOf(dates: readonly Dates[], ...groups: string[]) {
  const account = await employeeScene(api, employed(dates));
  const numbered = groups.map((group, index) => [`group_${index + 1}`, group]);
  const fields = { kind: 'groups', title: 'Groups', ...Object.fromEntries(numbered) };
  const id = createdId(await createReport(account.browser, fields));
  const page = await account.browser.open(`${reportsPath}/${id}`);
  isPage(t, page);
  const chart = drawnChart(page.body, 'chart');
  const labels = chart.barTitles.map((title) => title.replace(/: [\d,]+( \(.*)?$/, ''));
  return { ...account, id, body: page.body, chart, labels };
}

t.test('months are on the horizontal axis, oldest first, with those without employees', async (t) => {
  const dates: Dates[] = [['2027-11-30'], ['2028-02-01'], ['2027-11-01'], [null]];
  const { labels, chart, body, browser, id } = await chartOf(dates, 'status', 'hire_month');
  t.same(labels, ['2027-11', '2027-12', '2028-01', '2028-02', 'None']);
  t.match(chart.description, 'In the order of the months. 2027-11 is the highest hire month with 2 of 4');
  t.match(body, '4 employees in total');
  const address = `${reportsPath}/${id}/employees?by=hire_month`;
  const november = await browser.open(`${address}&value=2027-11`);
  isPage(t, november);
  t.equal(tableRows(november.body, '<caption>').length, 2);
  t.match(november.body, '<h1>Hire month: 2027-11</h1>');
  const february = await browser.open(`${address}&value=2028-02`);
  t.match(february.body, 'Hire date is on or before 29 Feb 2028');
  for (const value of ['x', '2027-13', '2027', '2027-1', ''])
    expectRedirect(t, await browser.open(`${address}&value=${value}`), `${reportsPath}/${id}`);
});

t.test('the chart of a headcount states no total and has no lists of employees', async (t) => {
  const { labels, chart, body, browser, id } = await chartOf(
    [['2020-01-01'], ['2027-12-01']],
    'employed_month',
  );
  t.equal(labels.length, 13);
  t.same([labels[0], labels.at(-1)], ['2027-02', '2028-02']);
  t.equal(chart.title, 'Employees by month of employment');
  t.match(chart.description, 'is the highest month of employment with 2 employees.');
  t.match(body, '13 groups');
  t.notMatch(body, 'in total');
  t.notMatch(body, `${id}/employees`);
  for (const by of ['employed_month&value=2028-02', 'employed_month&none=yes'])
    expectRedirect(t, await browser.open(`${reportsPath}/${id}/employees?by=${by}`), `${reportsPath}/${id}`);
});
