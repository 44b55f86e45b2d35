import { formEntries } from '../support/browser/form-entries.js';
import { isPage } from '../support/browser/pages.js';
import {
  createdId,
  createReport,
  reportsPath,
  shownErrors,
  tableRows,
} from '../support/browser/report-pages.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { employeeScene, fieldValues } from '../support/records/employee-scene.js';
import { columnKeys } from '../support/records/naive-report.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
api.clock.advanceSeconds((Date.parse('2028-02-28T12:00:00Z') - api.clock().getTime()) / 1000);

const people = [
  { department: 'Sales', hireDate: '2024-02-28', terminationDate: null },
  { department: 'Sales', hireDate: '2026-02-28', terminationDate: null },
  { department: 'Legal', hireDate: '2027-02-28', terminationDate: null },
  { department: 'Legal', hireDate: '2020-01-01', terminationDate: '2027-12-31' },
  { department: 'Legal', hireDate: '2020-01-01', terminationDate: '2026-12-31' },
  { department: 'Legal', hireDate: null, terminationDate: null },
];

/** Each template: its name in the address, its title, and the first rows of its result. */
const templates: readonly (readonly [name: string, title: string, rows: string[][]])[] = [
  [
    'headcount_by_month',
    'Headcount by month',
    [
      ['2027-02', '4'],
      ['2027-03', '4'],
    ],
  ],
  ['turnover', 'Turnover: people who left by month', [['2027-12', '1']]],
  [
    'headcount_by_department',
    'Headcount by department',
    [
      ['Legal', '2'],
      ['Sales', '2'],
    ],
  ],
  [
    'tenure_by_department',
    'Average tenure by department',
    [
      ['Sales', '2', '3'],
      ['Legal', '2', '1'],
    ],
  ],
  [
    'tenure_bands',
    'Tenure bands',
    [
      ['1–2 years', '2'],
      ['3–5 years', '1'],
      ['None', '1'],
    ],
  ],
  ['hires_this_year', 'Hires this year by department', []],
];

t.test('the list without reports and the form of a new one lead to each template', async (t) => {
  const { browser } = await employeeScene(api, []);
  for (const address of [reportsPath, `${reportsPath}/new`]) {
    const { body } = await browser.open(address);
    for (const [name, title] of templates)
      t.match(body, `<a href="${reportsPath}/new?template=${name}">${title}</a>`, address);
  }
});

t.test('a template fills the form, which creates its report as it is', async (t) => {
  const { browser } = await employeeScene(api, people);
  for (const [name, title, rows] of templates) {
    const form = await browser.open(`${reportsPath}/new?template=${name}`);
    isPage(t, form);
    t.notMatch(form.body, 'Start with a template', name);
    const checked = /name="kind" value="(\w+)" checked/.exec(form.body)?.[1];
    const { q: _, ...fields } = fieldValues(form.body);
    const response = await browser.submit(reportsPath, { ...fields, kind: checked ?? '' });
    const page = await browser.open(`${reportsPath}/${createdId(response)}`);
    isPage(t, page);
    t.match(page.body, `<h1>${title}</h1>`);
    const found = rows.length === 0 ? [] : tableRows(page.body, `<caption>${title}`);
    t.same(found.slice(0, rows.length), rows, name);
  }
});

t.test('an unknown template is the empty form with its templates', async (t) => {
  const { browser } = await employeeScene(api, []);
  for (const name of ['unknown', '', '__proto__', 'constructor', '%00']) {
    const page = await browser.open(`${reportsPath}/new?template=${name}`);
    t.equal(page.statusCode < 500, true, name);
    if (page.statusCode === 200) t.match(page.body, 'Start with a template', name);
  }
});

t.test('the form chooses, orders and removes measures, and its report shows them', async (t) => {
  const { browser, accountId, ids } = await employeeScene(api, people);
  await defineAttributes(api.database, accountId, [
    { key: 'salary', label: 'Salary', type: 'number', sensitive: true },
    { key: 'note', label: 'Note' },
  ]);
  await setCustomValues(api.database, accountId, ids[0] ?? '', { salary: 1000.5 });
  const fields = { kind: 'groups', title: 'Measures', group_1: 'department' };
  const added = await createReport(browser, {
    ...fields,
    measure_1: 'average_tenure',
    new_measure: 'maximum_hire_date',
    do: 'add_measure',
  });
  t.match(added.body, '<input type="hidden" name="measure_1" value="average_tenure,maximum_hire_date"/>');
  t.match(added.body, '<option value="sum_custom.salary">Sum of Salary</option>');
  t.notMatch(added.body, 'custom.note">Sum');
  t.match(added.body, '<option value="-maximum_hire_date">Maximum of Hire date, descending</option>');
  const measures = 'average_tenure,maximum_hire_date,sum_custom.salary';
  const moved = await createReport(browser, { ...fields, measure_1: measures, do: 'up_measure_3' });
  t.match(moved.body, 'value="average_tenure,sum_custom.salary,maximum_hire_date"');
  const removed = await createReport(browser, { ...fields, measure_1: measures, do: 'remove_measure_1' });
  t.match(removed.body, 'value="maximum_hire_date,sum_custom.salary"');

  const complete = { ...fields, measure_1: measures, sort_1: '-sum_custom.salary' };
  const rows = [
    ['Legal', '4', '5.33', '28 Feb 2027', '–'],
    ['Sales', '2', '3', '28 Feb 2026', '1000.5'],
  ];
  const preview = await createReport(browser, { ...complete, do: 'preview' });
  t.same(tableRows(preview.body, '<caption>Preview'), rows);
  const id = createdId(await createReport(browser, complete));
  const page = await browser.open(`${reportsPath}/${id}`);
  t.same(tableRows(page.body, '<caption>Measures'), rows);
  t.match(
    page.body,
    'Count by department, with average of Tenure (years), maximum of Hire date, and sum of Salary',
  );
  t.match(page.body, 'Maximum of Hire date');
  const csv = await browser.open(`${reportsPath}/${id}/results.csv`);
  t.equal(csv.body.split('\n')[0], 'department,count,average_tenure,maximum_hire_date,sum_custom.salary');
  const edit = await browser.open(`${reportsPath}/${id}/edit`);
  t.match(edit.body, `value="${measures}"`);
});

t.test('the form rejects measures as the API does', async (t) => {
  const { browser } = await employeeScene(api, []);
  const errors = async (measures: string) =>
    shownErrors(await createReport(browser, { kind: 'groups', group_1: 'department', measure_1: measures }));
  t.same(await errors('sum_tenure,sum_tenure'), ['measure_2: Measure 2 must not be repeated.']);
  t.match(await errors('sum_hire_date'), [/^measure_1: Measure 1 must not be Hire date: sums and averages/]);
  t.match(await errors('median_tenure'), [/^measure_1: Measure 1 must be one of/]);
  t.match(await errors('sum_custom.unknown'), [/^measure_1: Measure 1 must be one of/]);
  const six = ['sum', 'average', 'minimum', 'maximum'].map((name) => `${name}_tenure`);
  t.match(await errors([...six, 'minimum_hire_date', 'maximum_hire_date'].join(',')), [
    'new_measure: Measures must have at most 5 entries.',
  ]);
  const list = await createReport(browser, { title: 'List', measure_1: 'sum_tenure' });
  createdId(list);
});

t.test('a form with as many entries as a report can have is within its limit of 100 fields', async (t) => {
  const { browser } = await employeeScene(api, []);
  const filters = Array.from({ length: 20 }, (_, index) => [
    [`filter_${index + 1}_field`, 'hire_date'],
    [`filter_${index + 1}_operator`, 'on_or_after'],
    [`filter_${index + 1}_value`, '2026-01-01'],
  ]).flat();
  const measures = ['sum', 'average', 'minimum', 'maximum'].map((name) => `${name}_tenure`);
  const page = await createReport(browser, {
    ...{ kind: 'groups', group_1: 'department', group_2: 'employed_month' },
    column_1: [...columnKeys, 'unknown'].join(),
    measure_1: [...measures, 'maximum_hire_date'].join(),
    ...Object.fromEntries(measures.map((key, index) => [`sort_${index + 1}`, key])),
    sort_5: '-count',
    ...Object.fromEntries(filters),
    do: 'refresh',
  });
  isPage(t, page);
  const fields = formEntries(page.body);
  t.match(page.body, 'value="sum_tenure,average_tenure,minimum_tenure,maximum_tenure,maximum_hire_date"');
  t.ok(fields.length < 100, `${fields.length} fields and a button`);
});
