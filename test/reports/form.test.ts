import { hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  createdId,
  createReport,
  filterFields,
  reportsPath,
  shownErrors,
} from '../support/browser/report-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { enterableNames } from '../support/input/hostile-names.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { columnKeys } from '../support/records/naive-report.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { MAX_REPORTS_PER_ACCOUNT: '3' } });

async function ownerAtWork() {
  const scene = await createScene(database);
  return { scene, browser: await signedInBrowser(api, scene.user) };
}

const storedReports = (accountId: string) =>
  database.prisma.report.findMany({ where: { accountId }, orderBy: { title: 'asc' } });

const eventsOf = (accountId: string) =>
  database.prisma.auditEvent.findMany({
    where: { accountId, type: { startsWith: 'report.' } },
    orderBy: [{ createdAt: 'asc' }, { type: 'asc' }],
  });

t.test('creates a list with columns, filters and an order, and records the user', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const response = await createReport(browser, {
    title: ' Engineers ',
    description: 'First line\r\nsecond line',
    column_2: 'last_name',
    column_7: 'email',
    ...filterFields('department', 'in', 'Engineering\r\n\r\nResearch, Development'),
    filter_4_field: 'hire_date',
    filter_4_operator: 'after',
    filter_4_value: '2020-01-31',
    sort_2: '-last_name',
    unknown: 'ignored',
    column_x: 'ignored',
  });
  const id = createdId(response);
  expectRedirect(t, response, `${reportsPath}/${id}?notice=report_created`);
  const [stored] = await storedReports(scene.accountId);
  t.match(stored, {
    id,
    title: 'Engineers',
    description: 'First line\nsecond line',
    columns: ['last_name', 'email'],
    sort: ['-last_name'],
    groupBy: [],
    createdByUserId: scene.user.id,
    createdByApplicationId: null,
  });
  t.same(stored?.filters, [
    { field: 'department', operator: 'in', value: ['Engineering', 'Research, Development'] },
    { field: 'hire_date', operator: 'after', value: '2020-01-31' },
  ]);
  const [event] = await eventsOf(scene.accountId);
  t.match(event, { type: 'report.created', userId: scene.user.id, applicationId: null });
  t.match(event?.details, { report: id, title: 'Engineers' });
});

t.test('creates a list of all columns when none is selected, and counts by group', async (t) => {
  const { scene, browser } = await ownerAtWork();
  createdId(await createReport(browser, {}));
  createdId(
    await createReport(browser, {
      title: 'B',
      kind: 'groups',
      group_1: 'hire_year',
      group_2: 'status',
      column_1: 'id',
    }),
  );
  const [all, grouped] = await storedReports(scene.accountId);
  t.same(all?.columns, columnKeys);
  t.match(grouped, { columns: [], groupBy: ['hire_year', 'status'] });
});

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

t.test('buttons add and remove a filter and keep all other fields', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const filled = {
    title: 'Kept "title"',
    ...filterFields('email', 'contains', 'first'),
    filter_2_field: 'location',
    filter_2_operator: 'eq',
    filter_2_value: 'second',
    column_1: 'last_name',
  };
  const added = await createReport(browser, { ...filled, new_filter: 'hire_date', do: 'add_filter' });
  isPage(t, added);
  t.match(added.body, 'value="Kept &quot;title&quot;"');
  t.match(added.body, 'name="filter_3_field" value="hire_date"');
  t.match(added.body, /<select id="filter_3_operator"[^>]* autofocus/);
  t.match(added.body, /<input type="date" id="filter_3_value"/);
  t.notMatch(added.body, 'name="filter_4_field"');
  const removed = await createReport(browser, { ...filled, do: 'remove_filter_1' });
  isPage(t, removed);
  t.notMatch(removed.body, 'value="first"');
  t.match(removed.body, 'value="second"');
  t.match(removed.body, 'name="column_1" value="last_name"');
  t.notMatch(removed.body, 'name="filter_2_field"');
  t.match(removed.body, /<select id="new_filter"[^>]* autofocus/);
  isPage(t, await createReport(browser, { ...filled, do: 'remove_filter_99' }));
  t.same(await storedReports(scene.accountId), []);
});

t.test('buttons add, move and remove a column, and leave the focus where it was', async (t) => {
  const { browser } = await ownerAtWork();
  const columnsOf = ({ body }: { body: string }) =>
    [...body.matchAll(/name="column_\d+" value="(.*?)"/g)].map(([, key]) => key);
  const focusOf = ({ body }: { body: string }) => /id="([^"]*)"[^>]* autofocus/.exec(body)?.[1];
  const page = await browser.open(`${reportsPath}/new`);
  t.same(columnsOf(page).slice(0, 3), ['last_name', 'first_name', 'employee_number']);
  const filled = { column_1: 'email', column_2: 'status', column_3: 'id' };
  for (const [button, columns, focus] of [
    ['add_column', ['email', 'status', 'id', 'location'], 'new_column'],
    ['remove_column_2', ['email', 'id'], 'new_column'],
    ['up_column_3', ['email', 'id', 'status'], 'up_column_2'],
    ['down_column_2', ['email', 'id', 'status'], 'up_column_3'],
    ['up_column_2', ['status', 'email', 'id'], 'down_column_1'],
    ['up_column_1', ['email', 'status', 'id'], 'new_column'],
    ['down_column_3', ['email', 'status', 'id'], 'new_column'],
    ['up_column_9', ['email', 'status', 'id'], 'new_column'],
  ] as const) {
    const added = button === 'add_column' ? { new_column: 'location' } : {};
    const response = await createReport(browser, { ...filled, ...added, do: button });
    isPage(t, response);
    t.same(columnsOf(response), columns, button);
    t.equal(focusOf(response), focus, button);
  }
  const refreshed = await createReport(browser, { ...filled, new_sort: '-hire_date', do: 'add_sort' });
  t.match(refreshed.body, 'name="sort_1" value="-hire_date"');
  t.notMatch(refreshed.body, '<option value="hire_date">Hire date, ascending', 'a key orders once');
});

t.test('what is selected and not yet added is saved too, but a filter needs a value', async (t) => {
  const { scene, browser } = await ownerAtWork();
  createdId(await createReport(browser, { column_1: 'email', new_column: 'status', new_sort: 'status' }));
  t.match(await storedReports(scene.accountId), [{ columns: ['email', 'status'], sort: ['status'] }]);
  const response = await createReport(browser, { new_filter: 'department' });
  isPage(t, response, 400);
  t.same(shownErrors(response), ['filter_1_value: Filter 1: enter a value.']);
});

t.test('a filter offers the values that employees have, and a field for its condition', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const employees = makeEmployees(2).map((employee) => ({ ...employee, status: 'on_leave' }));
  await insertEmployees(database.prisma, scene.accountId, employees);
  const filters = { ...filterFields('status', 'in', ''), filter_2_field: 'status', filter_2_operator: 'eq' };
  const page = await createReport(browser, { ...filters, do: 'refresh' });
  isPage(t, page);
  t.match(page.body, /<input type="checkbox" name="filter_1_value" value="on_leave"\/?><bdi>On leave/);
  const options = (html: string) =>
    [...html.matchAll(/<option value(?:="([^"]*)")?( selected)?>([^<]*)/g)].map(([, ...option]) => option);
  const statusesOf = ({ body }: { body: string }, position: number) =>
    options(new RegExp(`<select id="filter_${position}_value".*?</select>`, 's').exec(body)?.[0] ?? '');
  t.same(statusesOf(page, 2), [
    [undefined, undefined, 'Choose'],
    ['on_leave', undefined, 'On leave'],
    ['active', undefined, 'Active'],
    ['inactive', undefined, 'Inactive'],
    ['terminated', undefined, 'Terminated'],
  ]);
  const other = await createReport(browser, {
    ...filterFields('status', 'not_eq', 'on_strike'),
    do: 'refresh',
  });
  t.same(
    statusesOf(other, 1).at(-1),
    ['on_strike', ' selected', 'On strike'],
    'the value of the filter stays',
  );
  const part = await createReport(browser, { ...filterFields('status', 'contains', 'on_'), do: 'refresh' });
  t.match(part.body, '<input type="text" id="filter_1_value" name="filter_1_value" value="on_"');
  const text = await createReport(browser, { ...filterFields('location', 'eq', 'x'), do: 'refresh' });
  t.match(text.body, '<input type="text" id="filter_1_value"');
  const chosen = new URLSearchParams({ ...hiddenFields(page.body), kind: 'list', title: 'Two' });
  chosen.append('filter_1_value', 'on_leave');
  chosen.append('filter_1_value', 'on_strike');
  chosen.set('filter_1_operator', 'in');
  chosen.set('do', 'refresh');
  const kept = await browser.submit(reportsPath, [...chosen]);
  t.match(kept.body, /value="on_strike" checked/, 'a value that no employee has stays');
  chosen.delete('filter_2_field');
  chosen.delete('do');
  const id = createdId(await browser.submit(reportsPath, [...chosen]));
  t.match(await storedReports(scene.accountId), [
    { id, filters: [{ field: 'status', operator: 'in', value: ['on_leave', 'on_strike'] }] },
  ]);
  const single = await createReport(browser, filterFields('status', 'eq', 'active\non_leave'));
  t.same(shownErrors(single), ['filter_1_value: Filter 1: enter one value.']);
});

t.test(
  'a filter by more values than a form has room for is a list with one value on each line',
  async (t) => {
    const { scene, browser } = await ownerAtWork();
    const employees = makeEmployees(70).map((employee, index) => ({
      ...employee,
      department: `Team ${index}`,
    }));
    await insertEmployees(database.prisma, scene.accountId, employees);
    const page = await createReport(browser, {
      ...filterFields('department', 'in', 'Team 1'),
      do: 'refresh',
    });
    t.match(page.body, /<textarea id="filter_1_value"[^>]*>Team 1<\/textarea>/);
    t.notMatch(page.body, 'type="checkbox"');
  },
);

t.test('a filter offers managers by name, and keeps those that it has', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const [ada = '', bob = ''] = await insertEmployees(database.prisma, scene.accountId, [
    ...makeEmployees(1, { firstName: 'Ada', lastName: 'Lovelace' }),
    ...makeEmployees(1, { firstName: 'Bob', lastName: 'Nobody' }),
    ...makeEmployees(1),
  ]);
  const { accountId } = scene;
  await database.prisma.employee.updateMany({
    where: { accountId, id: { notIn: [ada, bob] } },
    data: { managerId: ada },
  });
  const offered = ({ body }: { body: string }, type: string) =>
    [
      ...body.matchAll(
        new RegExp(
          `<input type="${type}" name="filter_1_value" value="(.*?)"( checked)?/?><bdi>(.*?)</bdi>`,
          'g',
        ),
      ),
    ].map(([, value, checked, name]) => [value, name, checked !== undefined]);
  const list = await createReport(browser, { ...filterFields('manager_id', 'in', bob), do: 'refresh' });
  isPage(t, list);
  t.same(offered(list, 'checkbox'), [
    [bob, 'Bob Nobody', true],
    [ada, 'Ada Lovelace', false],
  ]);
  t.notMatch(list.body, 'filter_1_search');
  const one = await createReport(browser, { ...filterFields('manager_id', 'eq', ada), do: 'refresh' });
  t.same(offered(one, 'radio'), [[ada, 'Ada Lovelace', true]]);
  const part = await createReport(browser, { ...filterFields('manager_id', 'contains', 'x'), do: 'refresh' });
  t.match(part.body, '<option value="contains" selected>contains');
  createdId(await createReport(browser, filterFields('manager_id', 'not_in', `${ada}\n${bob}`)));
  t.match(await storedReports(accountId), [{ filters: [{ operator: 'not_in', value: [ada, bob] }] }]);
});

t.test('a filter of an account with many managers searches them by name', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const { accountId } = scene;
  const ids = await insertEmployees(
    database.prisma,
    accountId,
    makeEmployees(104).map((employee, index) => ({
      ...employee,
      firstName: index % 2 === 0 ? 'Boss' : 'Other',
      lastName: `Number ${index}`,
    })),
  );
  // Each second employee is the manager of the next one.
  await database.prisma.$transaction(
    ids.flatMap((id, index) =>
      index % 2 === 0
        ? [
            database.prisma.employee.updateMany({
              where: { accountId, id: ids[index + 1] ?? '' },
              data: { managerId: id },
            }),
          ]
        : [],
    ),
  );
  const names = ({ body }: { body: string }) =>
    [...body.matchAll(/name="filter_1_value" value="[^"]*"( checked)?\/?><bdi>(.*?)<\/bdi>/g)].map(
      ([, checked, name]) => `${name}${checked ?? ''}`,
    );
  const chosen = filterFields('manager_id', 'in', ids[0] ?? '');
  const first = await createReport(browser, { ...chosen, do: 'refresh' });
  t.same(names(first), ['Boss Number 0 checked']);
  t.match(first.body, '<input type="search" id="filter_1_search"');
  for (const button of [{ do: 'search_1' }, {}]) {
    const found = await createReport(browser, { ...chosen, ...button, filter_1_search: 'number 10' });
    isPage(t, found);
    // 101 and 103 are the manager of nobody.
    t.same(names(found), ['Boss Number 0 checked', 'Boss Number 10', 'Boss Number 100', 'Boss Number 102']);
    t.match(found.body, /<input type="search" id="filter_1_search"[^>]* autofocus/);
    t.notMatch(found.body, 'value="number 10"', 'the next submission saves');
  }
  const none = await createReport(browser, { ...chosen, filter_1_search: 'zz<b>', do: 'search_1' });
  t.match(none.body, 'No manager matches “<bdi>zz&lt;b></bdi>”');
  t.same(await storedReports(accountId), []);
  const other = await ownerAtWork();
  const foreign = await createReport(other.browser, { ...chosen, do: 'refresh' });
  t.same(names(foreign), [`${ids[0]} checked`], 'names of another account are not shown');
});

t.test(
  'a new filter by a date compares with the start of this year, beside the other relative dates',
  async (t) => {
    const { scene, browser } = await ownerAtWork();
    const added = await createReport(browser, { new_filter: 'hire_date', do: 'add_filter' });
    isPage(t, added);
    t.match(added.body, /<label for="filter_1_when">Compare with <span class="unseen">\(filter 1\)<\/span>/);
    t.match(added.body, '<option value="start_of_year" selected>the start of this year');
    t.match(added.body, '<option value="start_of_last_month">the start of last month');
    const unseen = await createReport(browser, { new_filter: 'hire_date' });
    isPage(t, unseen, 400);
    t.same(shownErrors(unseen), ['filter_1_operator: Filter 1: choose a condition and a date.']);
    t.match(unseen.body, 'id="filter_1_operator-error"');
    isPage(t, await createReport(browser, { new_filter: 'hire_date', do: 'preview' }), 400);
    t.same(await storedReports(scene.accountId), []);
  },
);

t.test(
  'the list without reports and the form of a new one lead to a template for the hires of this year',
  async (t) => {
    const { scene, browser } = await ownerAtWork();
    const ready = `${reportsPath}/new?template=hires_this_year`;
    for (const address of [reportsPath, `${reportsPath}/new`]) {
      const { body } = await browser.open(address);
      t.match(body, `<a href="${ready}">Hires this year by department</a>`, address);
    }
    t.match((await browser.open(reportsPath)).body, 'as an Excel workbook or as CSV');
    const page = await browser.open(ready);
    isPage(t, page);
    t.notMatch(page.body, 'Start with a template');
    t.match(page.body, 'value="Hires this year by department"');
    const { csrf_token = '', form = '', ...fields } = hiddenFields(page.body);
    const selected = [
      ...page.body.matchAll(/<select id="(filter_\d_\w+)"[^>]*>.*?<option value="(\w+)" selected/gs),
    ];
    const response = await browser.submit(reportsPath, {
      csrf_token,
      form,
      ...fields,
      ...Object.fromEntries(selected.map(([, name = '', value = '']) => [name, value])),
      filter_1_value: '',
      filter_2_value: '',
      title: 'Hires',
      kind: 'groups',
    });
    createdId(response);
    t.match(await storedReports(scene.accountId), [
      {
        groupBy: ['department'],
        sort: ['-count'],
        filters: [
          { field: 'hire_date', operator: 'on_or_after', value: 'start_of_year' },
          { field: 'hire_date', operator: 'before', value: 'start_of_next_year' },
        ],
      },
    ]);
    t.notMatch((await browser.open(reportsPath)).body, 'Start with a template');
  },
);

t.test('a report offers usual groups first, and its second sort key follows "Then by"', async (t) => {
  const { browser } = await ownerAtWork();
  const fields = { kind: 'groups', group_1: 'status', sort_1: '-count', do: 'refresh' };
  const { body } = await createReport(browser, fields);
  const [, offered = ''] = /<select id="new_group".*?>(.*?)<\/select>/s.exec(body) ?? [];
  const labels = [...offered.matchAll(/<option value="\w+">(.*?)<\/option>/g)].map(([, label]) => label);
  t.same(labels, [
    ...['Department', 'Location', 'Job title', 'Month of employment', 'Tenure band', 'Hire year'],
    ...['Hire month', 'Termination year', 'Termination month', 'Manager'],
    ...['First name', 'Last name', 'Hire date', 'Termination date'],
    ...['Employee number', 'E-mail', 'ID', 'Updated at'],
  ]);
  t.match(offered, /<optgroup label="Technical"><option value="id">ID<.*>Updated at<\/option><\/optgroup>$/);
  t.match(body, '<span class="key">Employees, descending</span>');
  t.notMatch(body, 'Then by');
  const two = await createReport(browser, { ...fields, sort_2: 'status' });
  t.match(two.body, '<span class="key">Then by Status, ascending</span>');
  t.match(two.body, 'aria-label="Remove Status, ascending"');
});

t.test(
  'a report offers technical attributes below the others, and a hint about counts for counts only',
  async (t) => {
    const { browser } = await ownerAtWork();
    const { body } = await browser.open(`${reportsPath}/new`);
    for (const list of ['column', 'filter', 'sort']) {
      const [, offered = ''] = new RegExp(`<select id="new_${list}".*?>(.*?)</select>`, 's').exec(body) ?? [];
      const [usual = '', technical = ''] = offered.split('<optgroup label="Technical">');
      t.match(usual, />E-mail/, list);
      t.notMatch(usual, />(ID|Updated at)\b/, list);
      t.match(technical, />ID\b.*>Updated at\b/, list);
    }
    const [, hint] = /<p class="hint" id="sort-hint">(.*?)<\/p>/.exec(body) ?? [];
    t.match(hint, /^<span class="for-list">[^<]+<\/span><span class="for-groups">[^<]*number of employees/);
  },
);

t.test('a date stands for its whole day where a time is needed', async (t) => {
  const { scene, browser } = await ownerAtWork();
  for (const [operator, value] of [
    ['after', '2026-01-31T23:59:59.999Z'],
    ['on_or_after', '2026-01-31T00:00:00Z'],
  ] as const) {
    const id = createdId(await createReport(browser, filterFields('updated_at', operator, '2026-01-31')));
    const stored = await storedReports(scene.accountId);
    t.match(
      stored.find((report) => report.id === id),
      { filters: [{ field: 'updated_at', value }] },
    );
    const { body } = await browser.open(`${reportsPath}/${id}/edit`);
    t.match(body, /<input type="date" id="filter_1_value" name="filter_1_value" value="2026-01-31"/);
  }
});

t.test('a preview shows the first rows and saves nothing', async (t) => {
  const { scene, browser } = await ownerAtWork();
  await insertEmployees(database.prisma, scene.accountId, makeEmployees(12));
  const list = await createReport(browser, { do: 'preview', column_1: 'email', column_2: 'email' });
  isPage(t, list);
  t.match(list.body, 'The first 10 of 12 rows. The report is not saved yet.');
  t.match(list.body, 'person3.');
  const groups = await createReport(browser, { do: 'preview', kind: 'groups', group_1: 'status' });
  t.match(groups.body, '<title id="chart-title">');
  const empty = await createReport(browser, {
    do: 'preview',
    ...filterFields('email', 'eq', 'unknown'),
  });
  t.match(empty.body, 'The report has no rows.');
  t.match((await createReport(browser, { do: 'preview', title: '' })).body, 'The first 10 of 12 rows.');
  isPage(t, await createReport(browser, { do: 'preview', ...filterFields('id', 'before', 'x') }), 400);
  t.same(await storedReports(scene.accountId), []);
});

t.test('duplicates a report of the account into the form of a new one', async (t) => {
  const { browser } = await ownerAtWork();
  const other = await ownerAtWork();
  const id = createdId(
    await createReport(browser, { title: 'x'.repeat(255), column_1: 'email', sort_1: '-email' }),
  );
  const page = await browser.open(`${reportsPath}/${id}`);
  t.match(page.body, `href="${reportsPath}/new?copy=${id}"`);
  const copy = await browser.open(`${reportsPath}/new?copy=${id}`);
  isPage(t, copy);
  t.match(copy.body, `value="Copy of ${'x'.repeat(247)}"`);
  t.match(copy.body, 'name="column_1" value="email"');
  t.match(copy.body, 'name="sort_1" value="-email"');
  isPage(t, await other.browser.open(`${reportsPath}/new?copy=${id}`), 404);
  isPage(t, await browser.open(`${reportsPath}/new?copy=..`), 404);
});

t.test('a form that is submitted twice creates one report', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const page = await browser.open(`${reportsPath}/new`);
  const form = { ...hiddenFields(page.body), kind: 'list', title: 'Once' };
  const responses = await Promise.all([1, 2, 3].map(() => browser.submit(reportsPath, form)));
  const [stored, ...others] = await storedReports(scene.accountId);
  t.same(others, []);
  t.same(
    responses.map(({ headers }) => String(headers.location)).sort(),
    ['report_created', 'report_exists', 'report_exists'].map(
      (notice) => `${reportsPath}/${stored?.id}?notice=${notice}`,
    ),
  );
});

t.test('rejects a report above the limit of the account and keeps the form', async (t) => {
  const { scene, browser } = await ownerAtWork();
  for (const title of ['One', 'Two', 'Three']) createdId(await createReport(browser, { title }));
  const response = await createReport(browser, { title: 'Four' });
  isPage(t, response, 409);
  t.match(shownErrors(response), [/limit of 3 saved reports. Delete a report/]);
  t.match(response.body, 'value="Four"');
  t.equal((await storedReports(scene.accountId)).length, 3);
  t.equal((await eventsOf(scene.accountId)).length, 3);
});

t.test('edits a report in the form, and turns a grouped one into a list', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { kind: 'groups', group_1: 'status', sort_1: '-count' }));
  const address = `${reportsPath}/${id}/edit`;
  const page = await browser.open(address);
  isPage(t, page);
  t.match(page.body, 'name="group_1" value="status"');
  t.match(page.body, 'name="sort_1" value="-count"');
  const invalid = await browser.submitForm(page, address, { title: '', kind: 'list' });
  isPage(t, invalid, 400);
  const saved = await browser.submitForm(page, address, {
    title: 'List',
    kind: 'list',
    column_1: 'id',
    sort_1: '',
  });
  expectRedirect(t, saved, `${reportsPath}/${id}?notice=report_updated`);
  t.match(await storedReports(scene.accountId), [
    { title: 'List', columns: ['id'], groupBy: [], sort: [], version: 2, description: null },
  ]);
  t.same(
    (await eventsOf(scene.accountId)).map(({ type, userId }) => [type, userId]),
    [
      ['report.created', scene.user.id],
      ['report.updated', scene.user.id],
    ],
  );
});

t.test('one of two concurrent edits is saved, and the other form shows the saved values', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { title: 'First' }));
  const address = `${reportsPath}/${id}/edit`;
  const page = await browser.open(address);
  const edits = ['Mine', 'Theirs'].map((title) => browser.submitForm(page, address, { title, kind: 'list' }));
  const responses = await Promise.all(edits);
  const conflict = responses.find(({ statusCode }) => statusCode === 409);
  t.same(responses.map(({ statusCode }) => statusCode).sort(), [303, 409]);
  if (conflict === undefined) return;
  isPage(t, conflict, 409);
  const [stored] = await storedReports(scene.accountId);
  t.match(shownErrors(conflict), [/^title: Title: another user changed this while/]);
  const lost = stored?.title === 'Mine' ? 'Theirs' : 'Mine';
  t.match(conflict.body, `value="${lost}"`);
  for (const opened_title of ['', '0', 'x']) {
    const old = await browser.submitForm(page, address, { title: 'Old', kind: 'list', opened_title });
    isPage(t, old, 409);
  }
  const again = await browser.open(address);
  expectRedirect(
    t,
    await browser.submitForm(again, address, { title: lost, kind: 'list' }),
    /report_updated/,
  );
  t.match(await storedReports(scene.accountId), [{ title: lost, version: 3 }]);
});

t.test('filters that two users have changed are compared with names and relative dates', async (t) => {
  const { browser, ids } = await employeeScene(api, [
    { firstName: 'Ada', lastName: 'Lovelace' },
    { firstName: 'Grace', lastName: 'Hopper' },
  ]);
  const [ada = '', grace = ''] = ids;
  const values = { title: 'R', kind: 'list', column_1: 'id', ...filterFields('manager_id', 'eq', ada) };
  const id = createdId(await createReport(browser, values));
  const address = `${reportsPath}/${id}/edit`;
  const page = await browser.open(address);
  const submit = (changes: Record<string, string>) =>
    browser.submitForm(page, address, { ...values, ...changes });
  expectRedirect(t, await submit(filterFields('manager_id', 'not_eq', ada)), /report_updated$/);
  const date = { filter_2_field: 'hire_date', filter_2_operator: 'after', filter_2_value: 'today' };
  const conflict = await submit({ ...filterFields('manager_id', 'eq', grace), ...date });
  isPage(t, conflict, 409);
  const shown = [...conflict.body.matchAll(/data-label="(?:Saved|Yours)"><div><bdi>(.*?)<\/bdi>/g)];
  t.same(
    shown.map(([, text = '']) => text.replaceAll(/<[^>]*>/g, '|')),
    ['||Manager is not Ada Lovelace||', '||Manager is Grace Hopper||Hire date is after today||'],
  );
});

t.test(
  'a form takes over what only others have changed, and asks about what both have changed',
  async (t) => {
    const { scene, browser } = await ownerAtWork();
    const filter = { filter_1_field: 'email', filter_1_operator: 'contains', filter_1_value: ' x' };
    const values = { title: 'First', kind: 'list', column_1: 'id', column_2: 'status', ...filter };
    const id = createdId(await createReport(browser, values));
    const address = `${reportsPath}/${id}/edit`;
    const page = await browser.open(address);
    const submit = (changes: Record<string, string>) =>
      browser.submitForm(page, address, { ...values, ...changes });
    const theirs = { description: 'Theirs', column_3: 'email', sort_1: '-status' };
    expectRedirect(t, await submit(theirs), /report_updated$/);
    expectRedirect(t, await submit({ title: 'Mine', sort_1: '-status' }), /report_updated$/);
    t.match(await storedReports(scene.accountId), [
      { title: 'Mine', description: 'Theirs', columns: ['id', 'status', 'email'], sort: ['-status'] },
    ]);
    const conflict = await submit({ title: 'Other', description: 'Theirs', column_1: 'department' });
    isPage(t, conflict, 409);
    t.match(shownErrors(conflict), [/^title: /, /^new_column: Columns: another user/]);
    const shown = [...conflict.body.matchAll(/data-label="(?:Saved|Yours)"><div><bdi>(.*?)<\/bdi>/g)];
    t.same(
      shown.map(([, text]) => text),
      ['Mine', 'Other', 'ID, Status, E-mail', 'Department, Status'],
    );
    t.match(hiddenFields(conflict.body), { column_1: 'department', filter_1_value: undefined });
    const replaced = {
      ...values,
      title: 'Other',
      description: 'Theirs',
      column_1: 'department',
      sort_1: '-status',
    };
    expectRedirect(t, await browser.submitForm(conflict, address, replaced), /report_updated$/);
    t.match(await storedReports(scene.accountId), [
      { title: 'Other', columns: ['department', 'status'], version: 4 },
    ]);
  },
);

t.test('keeps hostile titles and values', async (t) => {
  const limitless = await buildTestApp(t, { database });
  const scene = await createScene(database);
  const browser = await signedInBrowser(limitless, scene.user);
  const page = await browser.open(`${reportsPath}/new`);
  const { csrf_token = '' } = hiddenFields(page.body);
  for (const name of enterableNames) {
    const response = await browser.submit(reportsPath, {
      csrf_token,
      kind: 'list',
      title: name,
      ...filterFields('department', 'eq', name),
    });
    t.equal(response.statusCode, 303, name);
  }
  const stored = await storedReports(scene.accountId);
  const kept = enterableNames.map((name) => name.trim().normalize('NFC'));
  t.same(stored.map(({ title }) => title).sort(), [...kept].sort());
  t.same(stored.map(({ filters }) => (filters as { value: string }[])[0]?.value).sort(), [...kept].sort());
  isPage(t, await browser.open(reportsPath));
  for (const { id, title } of stored.filter(({ title }) => /[<"&]/.test(title))) {
    isPage(t, await browser.open(`${reportsPath}/${id}`));
    // An attribute contains the title, in double quotes.
    const { statusCode, body } = await browser.open(`${reportsPath}/${id}/edit`);
    t.equal(statusCode, 200);
    t.match(body, `name="title" value="${escaped(title)}"`);
    t.notMatch(body, /<script(?! src="\/assets\/)|<img|<h1>x|<!--/);
  }
});
