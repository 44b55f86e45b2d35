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
import { createReportClient, parseCsv, refused } from '../support/records/reports.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;

const mentor = 'custom.mentor';

const client = await createReportClient(api, { employees: makeEmployees(4) });
const { accountId, application, employeeIds } = client.tenant;
const [a = '', b = '', c = ''] = employeeIds;
await defineAttributes(api.database, accountId, [{ key: 'mentor', type: 'employee', label: 'Mentor' }]);
await setCustomValues(api.database, accountId, a, { mentor: c });
await setCustomValues(api.database, accountId, b, { mentor: b });
await setCustomValues(api.database, accountId, c, { mentor: c });
await prisma.application.updateMany({
  where: { accountId, id: application.id },
  data: { readableAttributes: [mentor] },
});

t.test('rows and CSV have the id, and no value without one', async (t) => {
  const id = await client.saved({ title: 'x', columns: ['id', mentor], sort: ['id'] });
  const rows = await client.allRows(id, 2);
  t.same(
    rows.map(({ attributes }) => attributes.custom),
    [c, b, c, null].map((value) => ({ mentor: value })),
  );
  t.same(parseCsv(await client.csv(id)), [
    ['id', mentor],
    [a, c],
    [b, b],
    [c, c],
    [employeeIds[3] ?? '', ''],
  ]);
});

t.test('filters compare ids, or find employees without a value', async (t) => {
  const found = async (operator: string, value?: unknown) => {
    const filters = [{ field: mentor, operator, ...(value !== undefined && { value }) }];
    const rows = await client.allRows(await client.saved({ title: 'x', columns: ['id'], filters }), 1);
    return rows.map((row) => employeeIds.indexOf(row.id));
  };
  t.same(await found('eq', c), [0, 2]);
  t.same(await found('not_eq', c), [1, 3]);
  t.same(await found('in', [b, 'unknown0unknown0']), [1]);
  t.same(await found('not_in', [b]), [0, 2, 3]);
  t.same(await found('empty'), [3]);
  t.same(await found('not_empty'), [0, 1, 2]);
});

t.test('other operators and groups are rejected', async (t) => {
  for (const operator of ['contains', 'starts_with', 'before', 'gte']) {
    const filters = [{ field: mentor, operator, value: 'a' }];
    refused(t, await client.create({ title: 'x', columns: ['id'], filters }), 'invalid_request');
  }
  refused(t, await client.create({ title: 'x', group_by: [mentor] }), 'invalid_request');
});

t.test('pages show names, and their filters offer the employees of a search', async (t) => {
  const scene = await employeeScene(api, [
    { firstName: 'Ada', lastName: 'Lovelace' },
    { firstName: 'Grace', lastName: 'Hopper' },
    { firstName: 'Joan', lastName: 'Clarke' },
  ]);
  const { browser, ids } = scene;
  const [ada = '', grace = ''] = ids;
  await defineAttributes(api.database, scene.accountId, [
    { key: 'mentor', type: 'employee', label: 'Mentor' },
  ]);
  await setCustomValues(api.database, scene.accountId, ada, { mentor: grace });
  const searching = await createReport(browser, {
    column_1: mentor,
    ...filterFields(mentor, 'in', ''),
    filter_1_search: 'hopper',
    do: 'search_1',
  });
  t.match(searching.body, 'Employees that match');
  t.match(searching.body, `value="${grace}"`);
  t.notMatch(searching.body, `value="${ada}"`);
  const empty = await createReport(browser, { column_1: mentor, ...filterFields(mentor, 'eq', '') });
  t.match(shownErrors(empty), [/Filter 1: choose an employee/]);
  const id = createdId(
    await createReport(browser, { column_1: mentor, ...filterFields(mentor, 'in', grace) }),
  );
  const page = await browser.open(`${reportsPath}/${id}`);
  isPage(t, page);
  t.same(tableRows(page.body, '<caption>A report'), [['Grace Hopper']]);
  t.notMatch(page.body, `<bdi>${grace}</bdi>`);
  const edit = await browser.open(`${reportsPath}/${id}/edit`);
  t.match(edit.body, '<bdi>Grace Hopper</bdi>');
});
