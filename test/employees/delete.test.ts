import { hiddenFields } from '../support/browser/browser.js';
import { confirm, expectRedirect, isPage } from '../support/browser/pages.js';
import { employeeScene, fieldValues, validForm } from '../support/records/employee-scene.js';
import { checkTree } from '../support/records/employee-tree.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

const pathOf = (id: string | undefined) => `/people/employees/${id}/delete`;

const people = [
  { employeeNumber: 'D1', firstName: 'Ada', lastName: 'Lovelace', location: null },
  { employeeNumber: 'D2' },
  { employeeNumber: 'D3' },
];

/** Three employees; the first is the manager of the others. */
async function team(role: 'owner' | 'admin' | 'member' = 'owner') {
  const scene = await employeeScene(api, people, role);
  await database.prisma.employee.updateMany({
    where: { accountId: scene.accountId, id: { in: scene.ids.slice(1) } },
    data: { managerId: String(scene.ids[0]) },
  });
  return scene;
}

t.test('deletes an employee after confirmation; the direct reports have no manager then', async (t) => {
  const scene = await team('admin');
  const { browser, ids } = scene;
  const page = await browser.open(pathOf(ids[0]));
  isPage(t, page);
  t.match(page.body, 'Delete Ada Lovelace?');
  t.match(page.body, '2 direct reports have no manager afterwards.');
  t.match((await browser.open(pathOf(ids[1]))).body, /<ul><li>The record[\s\S]*?<\/li><\/ul>/);
  expectRedirect(t, await confirm(browser, pathOf(ids[0])), '/people?notice=employee_deleted');
  t.match(await scene.stored(), [
    { id: ids[1], managerId: null },
    { id: ids[2], managerId: null },
  ]);
  const events = await scene.events();
  const event = events.find(({ type }) => type === 'employee.deleted');
  t.match(event, { userId: scene.user.id });
  t.same(event?.details, { employee: ids[0], direct_reports: '2' });
  const updated = events.filter(({ type }) => type === 'employee.updated');
  const details = updated.map((update) => update.details as { employee_number: string });
  t.same(
    details.toSorted((one, other) => (one.employee_number < other.employee_number ? -1 : 1)),
    [
      { employee: ids[1], employee_number: 'D2', manager_id: `${ids[0]} → –` },
      { employee: ids[2], employee_number: 'D3', manager_id: `${ids[0]} → –` },
    ],
  );
  t.equal(events.length, 3);
  const changes = await browser.open(`/people/employees/${ids[1]}/changes`);
  t.match(changes.body, /<dt>Manager<\/dt><dd><span class="note">a deleted employee<\/span>.*none/);
  isPage(t, await browser.open(`/people/employees/${ids[0]}`), 404);
  t.match((await browser.open('/people?notice=employee_deleted')).body, /Employee deleted\.[\s\S]*2 people/);
  await checkTree(t, database);
});

t.test('the values of a deleted employee are erased from all its audit events', async (t) => {
  const scene = await employeeScene(api, []);
  const { browser, accountId } = scene;
  for (const number of ['K1', 'K2']) {
    const page = await browser.open('/people/employees/new');
    const form = {
      ...hiddenFields(page.body),
      ...validForm,
      employee_number: number,
      last_name: `Sur${number}`,
    };
    await browser.submit('/people/employees/new', form);
  }
  const [first, second] = await scene.stored();
  const edit = `/people/employees/${first?.id}/edit`;
  const form = fieldValues((await browser.open(edit)).body);
  await browser.submit(edit, { ...form, last_name: 'Renamed', manager_employee_number: 'K2' });
  api.clock.advanceSeconds(1);
  const before = await scene.events();
  await confirm(browser, pathOf(String(first?.id)));
  const after = await scene.events();
  t.same(
    after.filter(({ details }) => (details as Record<string, string>).employee === first?.id),
    [
      ...before
        .filter(({ details }) => (details as Record<string, string>).employee === first?.id)
        .map((event) => ({ ...event, details: { employee: first?.id } })),
      { ...after.at(-1), type: 'employee.deleted', userId: scene.user.id },
    ],
    'type, time and actor are kept',
  );
  const kept = ({ details }: { details: unknown }) =>
    (details as Record<string, string>).employee === second?.id;
  t.same(after.filter(kept), before.filter(kept), 'events of others are unchanged');
  const rows = await database.prisma.auditEvent.findMany({ where: { accountId } });
  t.notMatch(JSON.stringify(rows), /K1|SurK1|Renamed/);
});

t.test('one of several concurrent deletions succeeds, and is audited once', async (t) => {
  const scene = await team();
  const path = pathOf(scene.ids[0]);
  const form = hiddenFields((await scene.browser.open(path)).body);
  const responses = await Promise.all(Array.from({ length: 5 }, () => scene.browser.submit(path, form)));
  t.same(responses.map(({ statusCode }) => statusCode).sort(), [303, 404, 404, 404, 404]);
  const events = await scene.events();
  t.equal(events.filter(({ type }) => type === 'employee.deleted').length, 1);
  t.equal(events.filter(({ type }) => type === 'employee.updated').length, 2);
  t.equal((await scene.stored()).length, 2);
});

t.test('an employee is not assigned a manager who is deleted concurrently', async (t) => {
  for (let round = 0; round < 5; round += 1) {
    const scene = await employeeScene(api, people);
    const { browser, ids } = scene;
    const edit = `/people/employees/${ids[1]}/edit`;
    const page = await browser.open(edit);
    const form: Record<string, string> = {};
    for (const [, name = '', value = ''] of page.body.matchAll(/name="([a-z_]+)" value="([^"]*)"/g))
      form[name] = value;
    const [, edited] = await Promise.all([
      confirm(browser, pathOf(ids[0])),
      browser.submit(edit, { ...form, manager_employee_number: 'D1' }),
    ]);
    t.ok([303, 400].includes(edited.statusCode));
    t.same(
      (await scene.stored()).map(({ managerId }) => managerId),
      [null, null],
    );
  }
});
