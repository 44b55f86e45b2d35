import {
  DateCounter,
  describeInvalidDate,
  detectDateFormat,
  readDate,
} from '../../src/features/imports/dates.js';
import {
  check,
  datesOn,
  factOn,
  runImport,
  startUpload,
  submitColumns,
} from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { workbookOf } from '../support/input/workbook.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

async function visit() {
  const { user, accountId } = await createScene(database);
  const hireDates = async () => {
    const stored = await database.prisma.employee.findMany({
      where: { accountId },
      orderBy: { employeeNumber: 'asc' },
    });
    return stored.map(({ hireDate }) => hireDate?.toISOString().slice(0, 10));
  };
  return { browser: await signedInBrowser(api, user), hireDates };
}

/** Rows of valid employees with these hire dates. */
const rowsOf = (dates: readonly string[]) =>
  dates.map((date, index) => [`E${index}`, 'F', 'L', 'a@x.example', 'active', 'S', date]);
const header = [...csvHeader.split(','), 'hire_date'];
const fileOf = (dates: readonly string[]) =>
  [header, ...rowsOf(dates)].map((row) => row.join(';')).join('\n');

t.test(
  'reads dates in the order of their column, and those with the year first in every column',
  async (t) => {
    for (const [text, format, expected] of [
      ['2023-02-01', 'mdy', '2023-02-01'],
      ['2023/2/1', 'serial', '2023-02-01'],
      ['20230201', 'dmy', '2023-02-01'],
      [' 2023-02-01 00:00:00 ', 'ymd', '2023-02-01'],
      ['2023-02-01T00:00:00.000Z', 'ymd', '2023-02-01'],
      ['01.02.2023', 'dmy', '2023-02-01'],
      ['1/2/2023', 'dmy', '2023-02-01'],
      ['1-2-2023', 'mdy', '2023-01-02'],
      ['2/13/2023 0:00:00', 'mdy', '2023-02-13'],
      ['29.02.2024', 'dmy', '2024-02-29'],
      ['44958', 'serial', '2023-02-01'],
      ['29.02.2023', 'dmy', undefined],
      ['31.02.2023', 'dmy', undefined],
      ['1.2.23', 'dmy', undefined],
      ['1.2/2023', 'dmy', undefined],
      ['1.2.2023', 'mdy', undefined],
      ['2/13/2023', 'dmy', undefined],
      ['2023-02-01 08:30', 'ymd', undefined],
      ['2023021', 'ymd', undefined],
      ['44958', 'ymd', undefined],
      ['1001', 'serial', undefined],
      ['99999', 'serial', undefined],
      ['1 February 2023', 'dmy', undefined],
      ['0000-01-01', 'ymd', undefined],
      ['9'.repeat(100_000), 'ymd', undefined],
    ] as const)
      t.equal(readDate(text, format), expected, `${text.slice(0, 40)} as ${format}`);
  },
);

t.test('the order of dates follows from all values of the column', async (t) => {
  for (const [values, expected] of [
    [['', ''], 'ymd'],
    [['2023-02-01'], 'ymd'],
    [['01.02.2023'], 'dmy'],
    [['2023-02-01', '01.02.2023'], 'dmy'],
    [['1/2/2023', '2/13/2023'], 'mdy'],
    [['1/2/2023', '13/2/2023'], 'dmy'],
    [['1/2/2023', '3-4-2023'], undefined],
    [['13/2/2023', '2/13/2023'], undefined],
    [['44958', ''], 'serial'],
    [['44958', '01.02.2023'], 'dmy'],
    [['1.2.23'], 'ymd'],
  ] as const) {
    const counter = new DateCounter();
    for (const value of values) counter.add(value);
    t.equal(detectDateFormat(counter.choices), expected, values.join(' '));
  }
});

t.test('US dates are recognized from one day after the twelfth, wherever it is in the file', async (t) => {
  const { browser, hireDates } = await visit();
  // The last row is not in the first chunk.
  const rows = fileOf([...Array(30).fill('2/3/2023'), '2/13/2023']);
  const address = await startUpload(browser, rows.replaceAll(';S;', `;S${' '.repeat(9_000)};`));
  t.match(datesOn(await browser.open(address)), [{ chosen: 'mdy' }]);
  await check(api, browser, address);
  await runImport(api, browser, address);
  t.same([...new Set(await hireDates())], ['2023-02-03', '2023-02-13']);
});

t.test('dates whose day and month can be exchanged need a choice', async (t) => {
  const { browser, hireDates } = await visit();
  const address = await startUpload(browser, fileOf(['1/2/2023', '3/4/2023']));
  const [field] = datesOn(await browser.open(address));
  t.match(field, {
    chosen: '',
    offered: [
      'Choose what is right',
      '1/2/2023 → 1 February 2023 (day, month, year)',
      '1/2/2023 → 2 January 2023 (month, day, year)',
    ],
  });
  const page = await submitColumns(browser, address);
  isPage(t, page, 400);
  t.match(page.body, /href="#date_6">Choose how the dates of Hire date are written\./);
  t.equal((await submitColumns(browser, address, { date_6: 'x' })).statusCode, 400);
  await check(api, browser, address, { date_6: 'mdy' });
  await runImport(api, browser, address);
  t.same(await hireDates(), ['2023-01-02', '2023-03-04']);
});

t.test('a column that becomes a date on the form is asked for its order then', async (t) => {
  const { browser, hireDates } = await visit();
  const address = await startUpload(browser, fileOf(['1/2/2023']).replace('hire_date', 'x'));
  t.same(datesOn(await browser.open(address)), []);
  const page = await submitColumns(browser, address, { column_6: 'hire_date' });
  isPage(t, page, 400);
  t.equal(datesOn(page)[0]?.offered.length, 3);
  await check(api, browser, address, { column_6: 'hire_date', date_6: 'dmy' });
  await runImport(api, browser, address);
  t.same(await hireDates(), ['2023-02-01']);
});

t.test('a workbook can have its dates as dates, as texts and as numbers', async (t) => {
  const { browser, hireDates } = await visit();
  const [first = [], second = [], third = []] = rowsOf(['', '', '']);
  const rows = [
    header,
    [...first.slice(0, 6), { serial: 44_958 }],
    [...second.slice(0, 6), '13.02.2023'],
    [...third.slice(0, 6), '14.02.2023'],
  ];
  const address = await startUpload(browser, workbookOf(rows));
  await check(api, browser, address);
  await runImport(api, browser, address);
  t.same(await hireDates(), ['2023-02-01', '2023-02-13', '2023-02-14']);

  const other = await visit();
  const numbers = [header, [...first.slice(0, 6), 44_958], [...second.slice(0, 6), { serial: 44_959 }]];
  const numberAddress = await startUpload(other.browser, workbookOf(numbers));
  const page = await other.browser.open(numberAddress);
  t.match(datesOn(page)[0]?.offered, ['44958 → 1 February 2023 (day number of Excel)']);
  await check(api, other.browser, numberAddress);
  await runImport(api, other.browser, numberAddress);
  t.same(await other.hireDates(), ['2023-02-01', '2023-02-02']);
});

t.test('an invalid date is reported with its line, its value and what to do', async (t) => {
  const { browser } = await visit();
  const dates = ['13.01.2023', '14.01.2023', '15.01.2023', '31.02.2023', '1.2.23', '2/13/2023', 'soon'];
  const page = await check(api, browser, await startUpload(browser, fileOf(dates)));
  t.equal(factOn(page, 'Rejected'), '4');
  const errors = [...page.body.matchAll(/<div>(Row \d+), <bdi>F L<\/bdi><\/div>.*?<bdi>(.*?)<\/bdi>/gs)];
  t.same(
    errors.map(([, line, error]) => `${line}: ${error}`),
    [
      'Row 5: Hire date: 31.02.2023. This day does not exist. For example 28.02.2023.',
      'Row 6: Hire date: 1.2.23 has a year with two digits, which can be in two centuries; write four digits, such as 2023',
      'Row 7: Hire date: 2/13/2023 is not a date in the order of the column (day, month, year); correct it or choose another order',
      'Row 8: Hire date: soon. This is not a date. For example 28.02.2023.',
    ],
  );
  t.ok(describeInvalidDate('\u{1F468}'.repeat(1_000), 'dmy').message.length < 120);
});
