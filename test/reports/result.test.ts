import { csvLine } from '../../src/platform/database/cursor-csv.js';
import { defaultReportLimits } from '../../src/platform/limits/report-concurrency.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  createdId,
  createReport,
  filterFields,
  reportsPath,
  tableRows,
} from '../support/browser/report-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { columnKeys } from '../support/records/naive-report.js';
import { readWorkbook } from '../support/records/read-workbook.js';
import { sendJson } from '../support/records/send-json.js';
import { createApplication, makeEmployees, type TestEmployee } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });

const repeat = (count: number, values: Partial<TestEmployee>) => Array.from({ length: count }, () => values);

t.test('a list has its columns, pages and the number of employees', async (t) => {
  const { browser, stored } = await employeeScene(api, repeat(60, { location: null }));
  const id = createdId(
    await createReport(browser, {
      title: 'People',
      description: 'Purpose',
      column_1: 'employee_number',
      column_2: 'location',
      sort_1: '-employee_number',
      ...filterFields('email', 'contains', 'TENANT'),
    }),
  );
  const page = await browser.open(`${reportsPath}/${id}`);
  isPage(t, page);
  t.match(page.body, 'Purpose');
  t.match(page.body, '2 columns, 1 filter, sorted by employee number (descending).');
  t.match(page.body, 'E-mail contains TENANT');
  t.match(page.body, '60 employees, 1 to 50 on this page');
  const rows = [
    ...tableRows(page.body, '<caption>People'),
    ...tableRows((await browser.open(`${reportsPath}/${id}?page=2`)).body, '<caption>People'),
  ];
  const expected = (await stored()).map(({ employeeNumber }) => [employeeNumber, '–']);
  t.same(rows, expected.toReversed());
});

t.test('statuses, managers, dates and times are shown as people read them', async (t) => {
  const { browser, ids, accountId } = await employeeScene(api, [
    { firstName: 'Ada', lastName: 'Lovelace', status: 'active' },
    { status: 'on_leave', hireDate: '2020-02-29' },
  ]);
  const [id = '', other = ''] = ids;
  const where = { accountId, id: other };
  await database.prisma.employee.updateMany({ where, data: { managerId: id } });
  // Separately, because a change of some attributes keeps a later time.
  const updatedAt = new Date('2026-01-02T03:04:00Z');
  await database.prisma.employee.updateMany({ where, data: { updatedAt } });
  const list = createdId(
    await createReport(browser, {
      column_1: 'status',
      column_2: 'manager_id',
      column_3: 'hire_date',
      column_4: 'updated_at',
      ...filterFields('manager_id', 'eq', id),
    }),
  );
  const page = await browser.open(`${reportsPath}/${list}`);
  t.same(tableRows(page.body, '<caption>A report'), [
    ['On leave', 'Ada Lovelace', '29 Feb 2020', '2 Jan 2026, 03:04 UTC'],
  ]);
  t.match(page.body, 'Manager is Ada Lovelace');
  const counts = createdId(
    await createReport(browser, { kind: 'groups', group_1: 'status', group_2: 'manager_id' }),
  );
  const chart = await browser.open(`${reportsPath}/${counts}`);
  t.match(chart.body, '<bdi>On leave</bdi>');
  t.match(chart.body, /On leave: 1 \(Ada Lovelace: 1\)/);
  t.match(chart.body, 'class="number" data-label="Employees"');
  t.match(chart.body, '2 groups, 2 employees in total');
});

t.test('a CSV download equals that of the API, and its event names the user', async (t) => {
  const { browser, accountId, user } = await employeeScene(api, repeat(3, {}));
  const id = createdId(await createReport(browser, { title: 'Table', column_1: 'email', sort_1: 'email' }));
  const file = await browser.open(`${reportsPath}/${id}/results.csv`);
  t.equal(file.statusCode, 200);
  t.match(file.headers['content-type'], 'text/csv');
  t.equal(file.headers['content-disposition'], 'attachment; filename="Table.csv"');
  const application = await createApplication(database, accountId);
  const token = await api.token(application);
  t.equal(file.body, (await api.get(`/v1/reports/${id}/results.csv`, token)).body);
  const events = await database.prisma.auditEvent.findMany({
    where: { accountId, type: 'report.exported', userId: user.id },
    orderBy: { createdAt: 'asc' },
  });
  t.match(
    events.map(({ userId, applicationId, details }) => ({ userId, applicationId, details })),
    [{ userId: user.id, applicationId: null, details: { report: id, title: 'Table', rows: '3' } }],
  );
});

t.test('the print view has all rows and the definition', async (t) => {
  const { browser } = await employeeScene(api, repeat(60, { status: 'on_leave' }));
  const id = createdId(
    await createReport(browser, { column_1: 'email', ...filterFields('status', 'in', 'on_leave') }),
  );
  const page = await browser.open(`${reportsPath}/${id}`);
  t.equal(tableRows(page.body, '<caption>').length, 50);
  t.match(page.body, `href="${reportsPath}/${id}?print=yes"`);
  const printed = await browser.open(`${reportsPath}/${id}?print=yes`);
  isPage(t, printed);
  t.equal(tableRows(printed.body, '<caption>').length, 60);
  t.match(printed.body, 'Status is one of On leave');
  t.notMatch(printed.body, '?page=');
});

t.test(
  'the print view states the account, the date, the filters with their dates and what was counted',
  async (t) => {
    const clock = createTestClock(new Date('2026-03-04T05:06:00Z'));
    const timed = await buildTestApp(t, { database, clock });
    const scene = await createScene(database, { accountName: 'Acme & <b>Sons</b>' });
    await insertEmployees(database.prisma, scene.accountId, [
      ...makeEmployees(3, { hireDate: '2026-01-01', status: 'active' }),
      ...makeEmployees(2, { hireDate: '2026-02-01', status: 'on_leave' }),
      ...makeEmployees(1, { hireDate: '2025-12-31' }),
    ]);
    const browser = await signedInBrowser(timed, scene.user);
    const filter = filterFields('hire_date', 'on_or_after', 'start_of_year');
    const facts = ({ body }: { body: string }) =>
      Object.fromEntries(
        [...body.matchAll(/<dt>(.*?)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name = '', text = '']) => [
          name,
          text.replaceAll(/<[^>]*>/g, ''),
        ]),
      );
    const counts = createdId(await createReport(browser, { kind: 'groups', group_1: 'status', ...filter }));
    t.match(facts(await browser.open(`${reportsPath}/${counts}?print=yes`)), {
      Account: 'Acme &amp; &lt;b>Sons&lt;/b>',
      Date: '4 Mar 2026, 05:06 UTC',
      Result: '2 groups, 5 employees in total',
      Filters: 'Hire date is on or after the start of this year (1 Jan 2026)',
    });
    const list = createdId(await createReport(browser, { column_1: 'email' }));
    t.match(facts(await browser.open(`${reportsPath}/${list}?print=yes`)), {
      Result: '6 employees',
      Filters: 'None: all employees',
    });
  },
);

t.test('a CSV download has the name of the report, without what a file name cannot have', async (t) => {
  const { browser } = await employeeScene(api, []);
  for (const [title, expected] of [
    ['../50 % "on" leave?\\', `filename="50 _ on leave.csv"; filename*=UTF-8''50%20%25%20on%20leave.csv`],
    ['Löhne (März)', `filename="L_hne (M_rz).csv"; filename*=UTF-8''L%C3%B6hne%20%28M%C3%A4rz%29.csv`],
    ['...', 'filename="report-'],
  ] as const) {
    const id = createdId(await createReport(browser, { title }));
    const { headers } = await browser.open(`${reportsPath}/${id}/results.csv`);
    t.ok(String(headers['content-disposition']).startsWith(`attachment; ${expected}`), title);
  }
});

t.test(
  'the CSV for Excel has a byte-order mark, labels as headings and no formulas, and the plain CSV is unchanged',
  async (t) => {
    const names = [
      '=1+1',
      '+49',
      '-5',
      '@SUM(A1)',
      '\t=1',
      '\r=1',
      '="a,b"',
      '"=1"',
      'a\n=1',
      'a,=1',
      '李 é',
      "'=1",
    ];
    const { browser } = await employeeScene(
      api,
      names.map((department) => ({ department })),
    );
    const id = createdId(
      await createReport(browser, { column_1: 'email', column_2: 'department', sort_1: 'email' }),
    );
    const page = await browser.open(`${reportsPath}/${id}`);
    t.match(page.body, `href="${reportsPath}/${id}/results.csv?format=excel"`);
    t.match(page.body, 'Open “CSV for Excel” in Excel');

    const plain = await browser.open(`${reportsPath}/${id}/results.csv`);
    const excel = await browser.open(`${reportsPath}/${id}/results.csv?format=excel`);
    t.equal(excel.headers['content-disposition'], `attachment; filename="A report-excel.csv"`);
    t.same([...excel.rawPayload.subarray(0, 3)], [0xef, 0xbb, 0xbf]);
    const cell = (text: string) => csvLine(['a', text]).slice(1);
    t.match(plain.body, /^email,department\n/);
    let expected = plain.body.replace('email,department', 'E-mail,Department');
    for (const name of names) {
      t.match(plain.body, cell(name), 'the plain CSV has the value');
      if (/^[=+@\t\r-]/.test(name)) expected = expected.replace(cell(name), cell(`'${name}`));
    }
    t.equal(excel.body, `\u{feff}${expected}`);
    const german = await api.app.inject({
      url: `${reportsPath}/${id}/results.csv?format=excel`,
      headers: {
        'accept-language': 'de-DE,de;q=0.9',
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    t.match(german.body, /^\u{feff}"E-mail";"Department"\n/u);
    const workbook = await browser.open(`${reportsPath}/${id}/results.csv?format=xlsx`);
    t.match(page.body, `href="${reportsPath}/${id}/results.csv?format=xlsx"`);
    t.match(workbook.headers, {
      'content-type': /spreadsheetml\.sheet$/,
      'content-disposition': 'attachment; filename="A report.xlsx"',
    });
    isPage(t, await browser.open(`${reportsPath}/${id}/results.csv?format=pdf`), 400);
  },
);

t.test('the CSV for Excel follows the language of the profile, then that of the browser', async (t) => {
  const { browser, user } = await employeeScene(api, repeat(1, {}));
  const id = createdId(await createReport(browser, { column_1: 'email', column_2: 'status' }));
  const german = 'de-DE,de;q=0.9,en;q=0.8';
  for (const [locale, accepted, separator] of [
    [null, undefined, ','],
    [null, 'en', ','],
    [null, 'de', ';'],
    [null, german, ';'],
    ['de', undefined, ';'],
    ['de', 'en', ';'],
    ['de_AT', 'en', ';'],
    ['en', german, ','],
    ['no language', german, ';'],
  ] as const) {
    await database.prisma.user.update({ where: { email: user.email }, data: { locale } });
    const { body } = await api.app.inject({
      url: `${reportsPath}/${id}/results.csv?format=excel`,
      headers: {
        ...(accepted !== undefined && { 'accept-language': accepted }),
        cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
    });
    t.equal(body.includes(';'), separator === ';', `${locale} with ${accepted}`);
  }
});

t.test('a workbook has manager names and status labels, and CSV has the stored values', async (t) => {
  const { browser, accountId } = await employeeScene(api, repeat(3, { status: 'on_leave' }));
  const [boss] = await database.prisma.employee.findMany({ where: { accountId }, orderBy: { email: 'asc' } });
  const managerId = boss?.id ?? '';
  const where = { accountId, id: managerId };
  await database.prisma.employee.updateMany({ where, data: { firstName: 'Ada', lastName: 'Lovelace' } });
  await database.prisma.employee.updateMany({ where: { accountId, NOT: where }, data: { managerId } });
  for (const [fields, rows] of [
    [
      { column_1: 'status', column_2: 'manager_id', sort_1: 'manager_id' },
      'On leave,Ada Lovelace\nOn leave,Ada Lovelace\nOn leave,\n',
    ],
    [
      { kind: 'groups', group_1: 'status', group_2: 'manager_id', sort_1: '-count' },
      'On leave,Ada Lovelace,2\nOn leave,,1\n',
    ],
  ] as const) {
    const csv = `${reportsPath}/${createdId(await createReport(browser, fields))}/results.csv`;
    const { rawPayload } = await browser.open(`${csv}?format=xlsx`);
    const text = (await readWorkbook(rawPayload)).split('\n').slice(1).join('\n');
    t.same(text.split('\n').sort(), rows.split('\n').sort());
    const plain = (await browser.open(csv)).body;
    t.match(plain, `on_leave,${managerId}`);
    t.notMatch(plain, 'Ada Lovelace');
  }
});

t.test('runs and downloads above the limits of the account get a page with 429', async (t) => {
  const limited = await buildTestApp(t, {
    database,
    reportLimits: { ...defaultReportLimits, runsPerAccount: 0, downloadsPerAccount: 0, queueMs: 10 },
  });
  const account = await employeeScene(api, repeat(1, {}));
  const id = createdId(await createReport(account.browser, {}));
  const browser = await signedInBrowser(limited, account.user);
  for (const [path, limit] of [
    ['', 'concurrent report runs'],
    ['/results.csv', 'concurrent CSV downloads'],
  ]) {
    const page = await browser.open(`${reportsPath}/${id}${path}`);
    isPage(t, page, 429);
    t.match(page.body, limit);
    t.equal(page.headers['retry-after'], '1');
  }
});

t.test('the list names what each report shows and who created it, in pages', async (t) => {
  const { browser, accountId } = await employeeScene(api, []);
  const empty = await browser.open(reportsPath);
  isPage(t, empty);
  t.match(empty.body, 'No reports yet');
  createdId(
    await createReport(browser, { title: 'B', kind: 'groups', group_1: 'department', group_2: 'hire_year' }),
  );
  const application = await createApplication(database, accountId);
  const token = await api.token(application);
  await sendJson(api, { url: '/v1/reports', token, body: { title: 'A', sort: ['-last_name'] } });
  const { name } = await database.prisma.application.findFirstOrThrow({ where: { id: application.id } });
  const rows = tableRows((await browser.open(reportsPath)).body, '<caption>Reports');
  t.same(
    rows.map(([title, shows, , creator]) => [title, shows, creator]),
    [
      ['A', `${columnKeys.length} columns, sorted by last name (descending)`, name],
      ['B', 'Count by department and hire year', 'Ada Lovelace'],
    ],
  );
  expectRedirect(t, await browser.open(`${reportsPath}?page=3`), `${reportsPath}?page=1`);
});

t.test('deletes a report after a confirmation', async (t) => {
  const { browser, accountId, user } = await employeeScene(api, []);
  const id = createdId(await createReport(browser, { title: 'Old <b>' }));
  const address = `${reportsPath}/${id}/delete`;
  const page = await browser.open(address);
  isPage(t, page);
  t.match(page.body, 'Delete Old &lt;b>?');
  t.equal(await database.prisma.report.count({ where: { accountId } }), 1);
  expectRedirect(t, await browser.submitForm(page, address, {}), `${reportsPath}?notice=report_deleted`);
  isPage(t, await browser.submitForm(page, address, {}), 404);
  isPage(t, await browser.open(`${reportsPath}/${id}`), 404);
  const event = await database.prisma.auditEvent.findFirst({
    where: { accountId, type: 'report.deleted' },
  });
  t.match(event, { userId: user.id, applicationId: null, details: { report: id, title: 'Old <b>' } });
});
