import { hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { type EmployeeScene, employeeScene, fieldErrors } from '../support/records/employee-scene.js';
import { checkTree } from '../support/records/employee-tree.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

const path = '/people/employees/change';

const people = ['Sales', 'Marketing', 'Sales', 'Legal'].map((department, index) => ({
  employeeNumber: `E${index}`,
  lastName: `L${index}`,
  department,
  location: 'Berlin',
  status: 'active',
}));

const withPeople = (ids: readonly (string | undefined)[], more: Record<string, string>) => [
  ...ids.map((id) => ['employee', String(id)]),
  ...Object.entries(more),
];

/** Fields of the form that a page has, as a browser sends them. */
const fieldsOf = (html: string) =>
  [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)].map(
    ([, name = '', value = '']) => [name, value],
  );

/** Opens the form for people, and submits it. */
async function choose(
  { browser, ids }: EmployeeScene,
  indexes: readonly number[],
  more: Record<string, string>,
) {
  const selected = indexes.map((index) => ids[index]);
  const query = new URLSearchParams(withPeople(selected, {}));
  const { csrf_token } = hiddenFields((await browser.open(`${path}?${query}`)).body);
  return await browser.submit(path, withPeople(selected, { csrf_token: String(csrf_token), ...more }));
}

/** Confirms the change on the page that shows it. */
const confirm = ({ browser }: EmployeeScene, page: { body: string }) => {
  const [form = ''] =
    /<form method="post" action="\/people\/employees\/change\/confirm".*?<\/form>/s.exec(page.body) ?? [];
  return browser.submit(`${path}/confirm`, fieldsOf(form));
};

const valuesOf = async (scene: EmployeeScene, member: 'department' | 'location' | 'status' | 'managerId') =>
  (await scene.stored()).map((employee) => employee[member]);

t.test('changes the selected people after a confirmation, each with its audit event', async (t) => {
  const scene = await employeeScene(api, people, 'admin');
  const { browser, ids, user, accountId } = scene;
  const directory = await browser.open('/people');
  t.match(directory.body, `<form id="bulk" method="get" action="${path}"`);
  t.equal(directory.body.match(/type="checkbox" form="bulk" name="employee"/g)?.length, 4);
  const page = await choose(scene, [0, 1, 2], { attribute: 'department', department: 'marketing' });
  isPage(t, page);
  t.match(page.body, 'Change the department of 2 people?');
  t.match(page.body, '<bdi>Marketing</bdi>. 1 person of the selected already has it.');
  t.match(page.body, ', now <bdi>Sales</bdi>');
  t.same(await scene.events(), [], 'the form changes nothing');
  expectRedirect(t, await confirm(scene, page), '/people?notice=employees_updated');
  t.same(await valuesOf(scene, 'department'), ['Marketing', 'Marketing', 'Marketing', 'Legal']);
  const changes = [0, 2].map((index) => ({
    type: 'employee.updated',
    userId: user.id,
    details: { employee: ids[index], employee_number: `E${index}`, department: 'Sales → Marketing' },
  }));
  const events = (await scene.events()).map(({ type, userId, details }) => ({ type, userId, details }));
  const byEmployee = (one: { details: unknown }, other: { details: unknown }) =>
    Object(one.details).employee < Object(other.details).employee ? -1 : 1;
  t.same(events.toSorted(byEmployee), changes.toSorted(byEmployee));
  const feed = await database.prisma.event.findMany({ where: { accountId, type: 'employee.updated' } });
  t.equal(feed.length, 2);
  await checkTree(t, database);
});

t.test('location, status and manager can be changed, and removed', async (t) => {
  const scene = await employeeScene(api, people);
  for (const [more, member, expected] of [
    [{ attribute: 'location', location: '' }, 'location', [null, null, 'Berlin']],
    [{ attribute: 'status', status: 'on_leave' }, 'status', ['on_leave', 'on_leave', 'active']],
    [{ attribute: 'manager_id', manager_employee_number: 'E3' }, 'managerId', [3, 3, null]],
    [{ attribute: 'manager_id', manager_employee_number: '' }, 'managerId', [null, null, null]],
  ] as const) {
    const page = await choose(scene, [0, 1], more);
    isPage(t, page, 200, JSON.stringify(more));
    expectRedirect(t, await confirm(scene, page), '/people?notice=employees_updated');
    const wanted = expected.map((value) => (typeof value === 'number' ? scene.ids[value] : value));
    t.same((await valuesOf(scene, member)).slice(0, 3), wanted, JSON.stringify(more));
  }
});

t.test('an invalid value changes nobody', async (t) => {
  const scene = await employeeScene(api, people);
  const { ids, accountId } = scene;
  await database.prisma.employee.updateMany({
    where: { accountId, id: String(ids[3]) },
    data: { managerId: String(ids[0]) },
  });
  const before = await scene.stored();
  for (const [more, field] of [
    [{ attribute: 'department', department: '' }, 'department'],
    [{ attribute: 'department', department: 'x'.repeat(256) }, 'department'],
    [{ attribute: 'status', status: '' }, 'status'],
    [{ attribute: 'location', location: 'berlin ' }, 'location'],
    [{ attribute: 'manager_id', manager_employee_number: 'E1' }, 'manager_employee_number'],
    [{ attribute: 'email', email: 'x@x.example' }, 'attribute'],
    [{ attribute: 'manager_id', manager_employee_number: 'Nobody' }, 'manager_employee_number'],
  ] as const) {
    const page = await choose(scene, [0, 1], more);
    isPage(t, page, 400, JSON.stringify(more));
    t.match(page.body, `<a href="#${field}">`);
  }
  const known = await choose(scene, [0, 1], { attribute: 'manager_id', manager_employee_number: 'E3' });
  t.match(fieldErrors(known.body).manager_employee_number, /reports to the employee/);
  const confirmed = { employee: ids[1], attribute: 'manager_id', manager_employee_number: 'E1' };
  const { csrf_token = '' } = hiddenFields(known.body);
  const rejected = await scene.browser.submit(`${path}/confirm`, { csrf_token, ...confirmed } as Record<
    string,
    string
  >);
  isPage(t, rejected, 400);
  t.match(fieldErrors(rejected.body).manager_employee_number, /must be another employee/);
  t.match(rejected.body, `<form method="post" action="${path}"`, 'leads to the confirmation again');
  t.same(await scene.stored(), before);
  t.same(await scene.events(), []);
});

t.test('people of another account are ignored, and without people nothing is asked', async (t) => {
  const other = await employeeScene(api, people);
  const scene = await employeeScene(api, people);
  const { browser } = scene;
  const mixed = { ...scene, ids: [String(scene.ids[0]), String(other.ids[1])] };
  const page = await choose(mixed, [0, 1], { attribute: 'department', department: 'New' });
  t.match(page.body, 'Change the department of 1 person?');
  expectRedirect(t, await confirm(scene, page), /employees_updated$/);
  t.same(await valuesOf(other, 'department'), ['Sales', 'Marketing', 'Sales', 'Legal']);
  const foreign = new URLSearchParams(withPeople([String(other.ids[0])], {}));
  for (const address of [path, `${path}?${foreign}`]) {
    const empty = await browser.open(address);
    t.match(empty.body, 'No people are selected.');
    t.notMatch(empty.body, '<select');
  }
  const { csrf_token = '' } = hiddenFields(page.body);
  const sent = await browser.submit(path, { ...Object.fromEntries(foreign), csrf_token });
  expectRedirect(t, sent, '/people?notice=no_people_selected');
  expectRedirect(t, await browser.open(`${path}/confirm`), '/people');
});

t.test('a link selects all people of a page of the directory, and keeps the search', async (t) => {
  const { browser } = await employeeScene(api, people, 'admin');
  const checked = ({ body }: { body: string }) =>
    body.match(/name="employee" value="[^"]*" checked/g)?.length ?? 0;
  const linked = ({ body }: { body: string }) =>
    /<a id="select-all" href="([^"]*)">/.exec(body)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const directory = await browser.open('/people?department=Sales&sort=-name');
  t.equal(checked(directory), 0);
  t.match(directory.body, /<th [^>]*><input type="checkbox" id="select-page"[^>]* hidden\/?>/);
  t.match(directory.body, '>Select all on this page</a>');
  t.equal(linked(directory), '/people?department=Sales&sort=-name&select=page');
  const selected = await browser.open(linked(directory));
  t.equal(checked(selected), 2);
  t.match(selected.body, '2 selected');
  t.match(selected.body, '>Clear selection</a>');
  t.equal(linked(selected), '/people?department=Sales&sort=-name');
});

t.test('a member can neither select people nor change them', async (t) => {
  const scene = await employeeScene(api, people, 'member');
  const { browser, ids } = scene;
  const directory = await browser.open('/people?select=page');
  t.notMatch(directory.body, /type="checkbox"|Change selected|Select all/);
  const token = hiddenFields(directory.body).csrf_token ?? '';
  isPage(t, await browser.open(`${path}?employee=${ids[0]}`), 403);
  for (const address of [path, `${path}/confirm`])
    isPage(
      t,
      await browser.submit(
        address,
        withPeople(ids, { csrf_token: token, attribute: 'department', department: 'X' }),
      ),
      403,
    );
  t.same(await valuesOf(scene, 'department'), ['Sales', 'Marketing', 'Sales', 'Legal']);
});
