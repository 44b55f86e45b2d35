import { compareText } from '../../../src/platform/contract/outside-text.js';
import { createdId, createReport, reportsPath, tableRows } from '../../support/browser/report-pages.js';
import { openTestDatabase } from '../../support/database/database.js';
import { employeeScene } from '../../support/records/employee-scene.js';
import { createApplication } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database });

const departments = ['Zentrale', 'Ärzte', 'apotheke', 'Über', 'Ämter'];
const inOrder = ['Ämter', 'apotheke', 'Ärzte', 'Über', 'Zentrale'];

t.test('compareText sorts accented letters with their letters, and distinguishes all texts', async (t) => {
  t.same(departments.toSorted(compareText), inOrder);
  t.same(['B', 'b', 'a', 'A'].toSorted(compareText), ['a', 'A', 'b', 'B']);
  // The second one has a combining diaeresis.
  t.not(compareText('\u00c4', 'A\u0308'), 0);
  t.equal(compareText('a', 'a'), 0);
  // Only the start of a text is normalized.
  const marks = '\u0301\u0327'.repeat(200_000);
  t.equal(compareText(`${marks}a`, `${marks}b`), -1);
});

t.test(
  'choices and groups of reports are sorted as people sort them, and those of the API by code point',
  async (t) => {
    const scene = await employeeScene(
      api,
      departments.map((department) => ({ department, lastName: department, firstName: '' })),
    );
    const { browser, accountId, ids } = scene;
    const directory = await browser.open('/people');
    const [, offered = ''] = /<select [^>]*name="department".*?>(.*?)<\/select>/s.exec(directory.body) ?? [];
    const values = [...offered.matchAll(/<option value="([^"]+)"/g)].map(([, value]) => value);
    t.same(values, inOrder);

    const id = createdId(await createReport(browser, { kind: 'groups', group_1: 'department' }));
    const page = await browser.open(`${reportsPath}/${id}`);
    const rows = tableRows(page.body, '<caption>A report').map(([department]) => department);
    t.same(rows, inOrder);
    const downwards = createdId(
      await createReport(browser, { kind: 'groups', group_1: 'department', sort_1: '-department' }),
    );
    const reversed = await browser.open(`${reportsPath}/${downwards}`);
    t.same(
      tableRows(reversed.body, '<caption>A report').map(([department]) => department),
      inOrder.toReversed(),
    );

    const token = await api.token(await createApplication(database, accountId));
    const result = (await api.get(`/v1/reports/${id}/results`, token)).json();
    t.same(
      result.data.map(({ attributes }: { attributes: { department: string } }) => attributes.department),
      departments.toSorted(),
    );

    for (const [index, manager] of ids.entries()) {
      await database.prisma.employee.updateMany({
        where: { accountId, id: String(ids[(index + 1) % ids.length]) },
        data: { managerId: manager },
      });
    }
    const fields = {
      filter_1_field: 'manager_id',
      filter_1_operator: 'in',
      filter_1_value: '',
      do: 'refresh',
    };
    const form = await createReport(browser, fields);
    const managers = [...form.body.matchAll(/name="filter_1_value" value="\w+"[^>]*><bdi>(.*?)<\/bdi>/g)];
    t.same(
      managers.map(([, name]) => name),
      inOrder,
    );
  },
);
