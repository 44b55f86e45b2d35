import { isPage } from '../support/browser/pages.js';
import {
  createdId,
  createReport,
  filterFields,
  reportsPath,
  shownErrors,
  tableRows,
} from '../support/browser/report-pages.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { parseCsv } from '../support/records/reports.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

const scene = await employeeScene(api, [{}, {}, {}]);
const { accountId, browser, ids } = scene;
await defineAttributes(api.database, accountId, [
  { key: 'salary', type: 'number', sensitive: true, label: 'Salary' },
  { key: 'badge_until', type: 'date', label: 'Badge until' },
  { key: 'remote', type: 'boolean', label: 'Works remotely' },
  { key: 'shirt', type: 'choice', choices: ['Small', 'Large'], label: 'Shirt size' },
  { key: 'languages', type: 'choices', choices: ['English', 'German'], label: 'Languages' },
  { key: 'old', label: 'Old attribute', archivedAt: new Date() },
]);
const values = [
  {
    salary: 1234.5,
    badge_until: '2026-01-31',
    remote: true,
    shirt: 'Large',
    languages: ['English', 'German'],
  },
  { salary: 7, remote: false, shirt: 'Small' },
  {},
];
for (const [index, id] of ids.entries())
  await setCustomValues(api.database, accountId, id, values[index] ?? {});

const columns = { column_1: 'custom.salary', column_2: 'custom.remote', column_3: 'custom.languages' };

t.test(
  'the form offers the attributes that are not archived, each with the operators of its type',
  async (t) => {
    const page = await browser.open(`${reportsPath}/new`);
    isPage(t, page);
    for (const label of ['Salary', 'Badge until', 'Works remotely', 'Shirt size', 'Languages'])
      t.match(page.body, `>${label}</option>`);
    t.notMatch(page.body, 'Old attribute');
    t.match(page.body, 'value="-custom.salary"');
    t.notMatch(page.body, 'value="custom.languages">Languages, ascending');
    const added = await createReport(browser, { do: 'add_filter', new_filter: 'custom.remote' });
    t.match(added.body, '>Yes</option>');
    t.notMatch(added.body, 'starts with');
  },
);

t.test('a list has values as people read them, and its CSV files have them as stored', async (t) => {
  const id = createdId(
    await createReport(browser, {
      ...columns,
      ...filterFields('custom.salary', 'gte', '7'),
      sort_1: '-custom.salary',
    }),
  );
  const page = await browser.open(`${reportsPath}/${id}`);
  isPage(t, page);
  t.same(tableRows(page.body, '<caption>A report'), [
    ['1234.5', 'Yes', 'English, German'],
    ['7', 'No', '–'],
  ]);
  t.match(page.body, 'Salary is at least 7');
  t.match(page.body, '3 columns, 1 filter, sorted by salary (descending)');
  const csv = await browser.open(`${reportsPath}/${id}/results.csv`);
  t.same(parseCsv(csv.body), [
    ['custom.salary', 'custom.remote', 'custom.languages'],
    ['1234.5', 'true', 'English; German'],
    ['7', 'false', ''],
  ]);
  const excel = await browser.open(`${reportsPath}/${id}/results.csv?format=excel`);
  t.match(excel.body, 'Works remotely');
  t.match(excel.body, 'true,English; German');
});

t.test(
  'a chart counts the employees by value, and leads to those with a value and without one',
  async (t) => {
    const id = createdId(await createReport(browser, { kind: 'groups', group_1: 'custom.remote' }));
    const page = await browser.open(`${reportsPath}/${id}`);
    isPage(t, page);
    t.match(page.body, 'Employees by works remotely');
    t.same(
      tableRows(page.body, '<caption>A report').toSorted(),
      [
        ['<em>None', '1'],
        ['No', '1'],
        ['Yes', '1'],
      ]
        .map(([value = '', count = '']) => [value.replace('<em>', ''), count])
        .toSorted(),
    );
    const group = await browser.open(`${reportsPath}/${id}/employees?by=custom.remote&value=true`);
    isPage(t, group);
    t.match(group.body, 'Works remotely: Yes');
    t.match(group.body, '1 employee');
    const without = await browser.open(`${reportsPath}/${id}/employees?by=custom.remote&none=yes`);
    t.match(without.body, 'Works remotely: None');
    t.match(without.body, '1 employee');
  },
);

t.test('the form rejects archived and unknown attributes, and values of another type', async (t) => {
  const rejections: readonly [Record<string, string>, RegExp][] = [
    [{ column_1: 'custom.old' }, /^column_1: Column 1 must be one of: ID;/],
    [{ column_1: 'custom.unknown' }, /^column_1: Column 1 must be one of: ID;/],
    [{ sort_1: 'custom.languages' }, /^sort_1: /],
    [{ kind: 'groups', group_1: 'custom.salary' }, /^group_1: Group 1 must not be Salary/],
    [filterFields('custom.salary', 'gt', 'much'), /^filter_1_value: Filter 1: the value must be a number/],
    [filterFields('custom.remote', 'eq', ''), /^filter_1_value: Filter 1: choose Yes or No/],
    [
      filterFields('custom.remote', 'contains', 'true'),
      /^filter_1_operator: Filter 1: the condition must be/,
    ],
    [filterFields('custom.old', 'eq', 'x'), /^filter_1_field: /],
  ];
  const before = await prisma.report.count({ where: { accountId } });
  for (const [fields, message] of rejections) {
    const response = await createReport(browser, fields);
    isPage(t, response, 400);
    const errors = shownErrors(response);
    t.equal(errors.length, 1, errors.join());
    t.match(errors[0], message);
  }
  t.equal(await prisma.report.count({ where: { accountId } }), before);
});

t.test('a report of an archived attribute has no such column, and does not run if it needs it', async (t) => {
  const id = createdId(await createReport(browser, { ...columns, column_4: 'custom.shirt' }));
  await prisma.customAttribute.updateMany({
    where: { accountId, key: 'shirt' },
    data: { archivedAt: new Date() },
  });
  const page = await browser.open(`${reportsPath}/${id}`);
  isPage(t, page);
  t.notMatch(page.body, 'Large');
  const sort = ['custom.shirt'];
  await prisma.report.updateMany({ where: { accountId, id }, data: { sort } });
  const unusable = await browser.open(`${reportsPath}/${id}`);
  isPage(t, unusable);
  t.match(unusable.body, 'This report cannot run');
  t.match(unusable.body, `${reportsPath}/${id}/edit`);
  isPage(t, await browser.open(`${reportsPath}/${id}/edit`));
  t.equal((await browser.open(`${reportsPath}/${id}/results.csv`)).statusCode, 404);
  isPage(t, await browser.open(reportsPath));
});

t.test('a report with more columns than the form has fields for keeps them when it is edited', async (t) => {
  const id = createdId(await createReport(browser, { column_1: 'email' }));
  const many = Array.from({ length: 60 }, (_, index) => `custom.c${index}`);
  await prisma.report.updateMany({ where: { accountId, id }, data: { columns: ['email', ...many] } });
  const page = await browser.open(`${reportsPath}/${id}/edit`);
  isPage(t, page);
  t.equal([...page.body.matchAll(/name="column_\d+"/g)].length, 14);
  t.match(page.body, many.slice(12).join());
});

t.test('only owners and administrators see reports, with sensitive attributes', async (t) => {
  const member = await employeeScene(api, [], 'member');
  t.equal((await member.browser.open(reportsPath)).statusCode, 403);
});
