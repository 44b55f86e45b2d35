import { relativeDate } from '../../src/features/reports/relative-dates.js';
import { isPage } from '../support/browser/pages.js';
import {
  createdId,
  createReport,
  filterFields,
  reportsPath,
  tableRows,
} from '../support/browser/report-pages.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { createReportClient, parseCsv } from '../support/records/reports.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);

const setClock = (time: string) =>
  api.clock.advanceSeconds((Date.parse(time) - api.clock().getTime()) / 1000);

t.test('a relative date is a date in UTC', async (t) => {
  // A Sunday, the last day of a quarter and of a year: 31 December 2028 in UTC, and 1 January 2029 in Berlin.
  const now = new Date('2028-12-31T23:30:00Z');
  for (const [text, expected] of [
    ['today', '2028-12-31'],
    ['-1d', '2028-12-30'],
    ['+1d', '2029-01-01'],
    ['-366d', '2027-12-31'],
    ['-99999d', '1755-03-19'],
    ['+99999d', '2302-10-16'],
    ['start_of_week', '2028-12-25'],
    ['start_of_last_week', '2028-12-18'],
    ['start_of_next_week', '2029-01-01'],
    ['start_of_month', '2028-12-01'],
    ['start_of_last_month', '2028-11-01'],
    ['start_of_next_month', '2029-01-01'],
    ['start_of_quarter', '2028-10-01'],
    ['start_of_last_quarter', '2028-07-01'],
    ['start_of_next_quarter', '2029-01-01'],
    ['start_of_year', '2028-01-01'],
    ['start_of_last_year', '2027-01-01'],
    ['start_of_next_year', '2029-01-01'],
    ['2028-02-29', null],
    ['today ', null],
    ['', null],
  ] as const) {
    t.equal(relativeDate(text, now), expected, text);
  }
  t.equal(relativeDate('start_of_week', new Date('2024-03-04T00:00:00Z')), '2024-03-04', 'a Monday');
  t.equal(relativeDate('-1d', new Date('2024-03-01T00:00:00Z')), '2024-02-29', 'a leap year');
  t.equal(relativeDate('start_of_last_quarter', new Date('2024-01-15T00:00:00Z')), '2023-10-01');
});

t.test('a report with relative dates has the employees of the day on which it runs', async (t) => {
  setClock('2026-03-31T23:59:59Z');
  const dates = ['2025-12-31', '2026-01-01', '2026-03-01', '2026-03-31', '2026-04-01', null];
  const employees = makeEmployees(dates.length).map((employee, index) => ({
    ...employee,
    hireDate: dates[index] ?? null,
    updatedAt: new Date(index % 2 === 0 ? '2026-03-31T00:00:00Z' : '2026-03-30T23:59:59.999Z'),
  }));
  const client = await createReportClient(api, { employees });
  const report = async (...filters: object[]) => {
    const id = await client.saved({ title: 'x', columns: ['hire_date'], sort: ['hire_date'], filters });
    return async () => {
      const shown = (await client.allRows(id, 2)).map(({ attributes }) => attributes.hire_date);
      const lines = parseCsv(await client.csv(id)).slice(1);
      t.same(
        lines,
        shown.map((date) => [date ?? '']),
        'the CSV has the same rows',
      );
      return shown;
    };
  };
  const field = 'hire_date';
  const thisMonth = await report(
    { field, operator: 'on_or_after', value: 'start_of_month' },
    { field, operator: 'before', value: 'start_of_next_month' },
  );
  const exactly = await report({ field, operator: 'in', value: ['today', '-90d', '2025-12-31'] });
  const others = await report({ field, operator: 'not_eq', value: 'start_of_year' });
  const today = await report({ field: 'updated_at', operator: 'on_or_after', value: 'today' });
  const untilToday = await report({ field: 'updated_at', operator: 'on_or_before', value: 'today' });
  const afterToday = await report({ field: 'updated_at', operator: 'after', value: 'today' });
  const tomorrow = await report({ field: 'updated_at', operator: 'after', value: '+1d' });
  t.same(await thisMonth(), ['2026-03-01', '2026-03-31']);
  t.same(await exactly(), ['2025-12-31', '2026-03-31']);
  t.same(await others(), ['2025-12-31', '2026-03-01', '2026-03-31', '2026-04-01', null]);
  t.same(await today(), ['2025-12-31', '2026-03-01', '2026-04-01']);
  t.equal((await untilToday()).length, employees.length, 'all of the day');
  t.same(await afterToday(), [], 'nothing of the day');
  t.same(await tomorrow(), []);

  setClock('2026-04-01T00:00:00Z');
  t.same(await thisMonth(), ['2026-04-01']);
  t.same(await exactly(), ['2025-12-31', '2026-01-01', '2026-04-01']);
  t.same(await today(), []);
});

t.test('a form offers relative dates, stores them, and describes them as people say them', async (t) => {
  const { browser, accountId } = await employeeScene(api, [
    { hireDate: '2026-03-31', terminationDate: null, location: 'Bern' },
    { hireDate: '2026-01-01', terminationDate: '2026-03-01', location: 'Oslo' },
    { hireDate: '2025-01-01', terminationDate: null, location: '' },
  ]);
  const fields = {
    ...filterFields('hire_date', 'on_or_after', ''),
    filter_1_when: 'start_of_year',
    filter_2_field: 'hire_date',
    filter_2_operator: 'after',
    // Of another choice, which the browser sends too.
    filter_2_value: '2026-05-05',
    filter_2_when: 'days_ago',
    filter_2_days: '1000',
    filter_3_field: 'termination_date',
    filter_3_operator: 'empty',
    filter_3_value: 'left over',
    filter_4_field: 'location',
    filter_4_operator: 'not_empty',
  };
  const shown = await createReport(browser, { ...fields, do: 'refresh' });
  isPage(t, shown);
  t.match(shown.body, /<select id="filter_1_when"[^>]*>.*?value="start_of_year" selected/s);
  t.match(shown.body, '<option value="days_ago" selected>a number of days ago');
  t.match(shown.body, /<input type="number" id="filter_2_days"[^>]* value="1000"/);
  t.notMatch(shown.body, 'id="filter_3_value"', 'an operator without a value has no field');
  const id = createdId(await createReport(browser, { column_1: 'hire_date', ...fields }));
  const { filters } = await api.database.prisma.report.findFirstOrThrow({ where: { accountId } });
  t.same(filters, [
    { field: 'hire_date', operator: 'on_or_after', value: 'start_of_year' },
    { field: 'hire_date', operator: 'after', value: '-1000d' },
    { field: 'termination_date', operator: 'empty' },
    { field: 'location', operator: 'not_empty' },
  ]);
  const page = await browser.open(`${reportsPath}/${id}`);
  isPage(t, page);
  t.same(tableRows(page.body, '<caption>A report'), [['31 Mar 2026']]);
  for (const sentence of [
    'Hire date is on or after the start of this year (',
    'Hire date is after 1,000 days ago (',
    'Termination date is empty<',
    'Location is not empty<',
  ]) {
    t.match(page.body, sentence);
  }
  const edited = await browser.open(`${reportsPath}/${id}/edit`);
  t.match(edited.body, /value="start_of_year" selected/);
});
