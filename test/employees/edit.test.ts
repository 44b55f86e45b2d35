import { Sessions } from '../../src/platform/accounts/sessions.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  type EmployeeScene,
  employeeScene,
  fieldErrors,
  fieldValues,
} from '../support/records/employee-scene.js';
import { checkTree } from '../support/records/employee-tree.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

const pathOf = (id: string | undefined) => `/people/employees/${id}/edit`;

/** The form of an employee in a browser. */
const openForm = async ({ browser, ids }: EmployeeScene, index = 0) =>
  fieldValues((await browser.open(pathOf(ids[index]))).body);

const edit = async (scene: EmployeeScene, changes: Record<string, string>, index = 0) =>
  scene.browser.submit(pathOf(scene.ids[index]), { ...(await openForm(scene, index)), ...changes });

const ada = {
  employeeNumber: 'E1',
  firstName: 'Ada',
  lastName: 'Lovelace',
  status: 'active',
  jobTitle: 'Analyst',
  location: null,
  hireDate: '2020-02-29',
};

t.test('stores the changed fields, and audits values before and after', async (t) => {
  const scene = await employeeScene(api, [ada, { employeeNumber: 'M1' }], 'admin');
  const { ids } = scene;
  const page = await scene.browser.open(pathOf(ids[0]));
  isPage(t, page);
  t.match(
    page.body,
    `<a href="/people">People</a></li><li><a href="/people/employees/${ids[0]}">Ada Lovelace</a>`,
  );
  t.match(page.body, '<input type="date" id="hire_date" name="hire_date" value="2020-02-29"');
  const response = await edit(scene, {
    employee_number: 'E2',
    status: 'on_leave',
    job_title: '',
    location: 'London',
    hire_date: '2020-03-01',
    manager_employee_number: 'M1',
  });
  expectRedirect(t, response, `/people/employees/${ids[0]}?notice=employee_updated`);
  const [employee] = await scene.stored();
  t.match(employee, {
    id: ids[0],
    employeeNumber: 'E2',
    firstName: 'Ada',
    status: 'on_leave',
    jobTitle: null,
    location: 'London',
    hireDate: new Date('2020-03-01'),
    managerId: ids[1],
    updatedAt: api.clock(),
  });
  const [event, ...others] = await scene.events();
  t.same(others, []);
  t.match(event, { type: 'employee.updated', userId: scene.user.id });
  t.same(event?.details, {
    employee: ids[0],
    employee_number: 'E1 → E2',
    status: 'active → on_leave',
    job_title: 'Analyst → –',
    location: '– → London',
    hire_date: '2020-02-29 → 2020-03-01',
    manager_id: `– → ${ids[1]}`,
  });
  await checkTree(t, database);
});

t.test('a form without changes changes nothing', async (t) => {
  const scene = await employeeScene(api, [{ ...ada, updatedAt: new Date('2020-01-01') }]);
  expectRedirect(t, await edit(scene, {}), /employee_updated$/);
  t.match(await scene.stored(), [{ updatedAt: new Date('2020-01-01') }]);
  t.same(await scene.events(), []);
});

t.test('keeps the stored spelling of values that the user did not change', async (t) => {
  const decomposed = 'Zoe\u0308';
  const scene = await employeeScene(api, [
    { ...ada, employeeNumber: decomposed, firstName: ` ${decomposed}` },
    { employeeNumber: `M${decomposed}` },
  ]);
  await database.prisma.employee.updateMany({
    where: { accountId: scene.accountId, id: String(scene.ids[0]) },
    data: { managerId: String(scene.ids[1]) },
  });
  expectRedirect(t, await edit(scene, { location: 'Paris' }), /employee_updated$/);
  const [event] = await scene.events();
  t.same(Object.keys(event?.details ?? {}).sort(), ['employee', 'employee_number', 'location']);
  t.match(
    (await scene.stored()).find(({ id }) => id === scene.ids[0]),
    { employeeNumber: decomposed, firstName: ` ${decomposed}`, managerId: scene.ids[1] },
  );
});

t.test('rejects invalid values, and keeps the input', async (t) => {
  const scene = await employeeScene(api, [ada, { employeeNumber: 'TAKEN' }]);
  const before = await scene.stored();
  const self = { manager_employee_number: 'The manager must be another employee.' };
  for (const [changes, errors] of [
    [{ email: 'x' }, { email: 'E-mail must be an e-mail address.' }],
    [{ employee_number: 'TAKEN' }, { employee_number: 'Another employee has this employee number.' }],
    [{ manager_employee_number: 'E1' }, self],
    // The old and the new number.
    [{ employee_number: 'E9', manager_employee_number: 'E1' }, self],
    [{ employee_number: 'E9', manager_employee_number: 'E9' }, self],
  ] as const) {
    const page = await edit(scene, { ...changes, location: 'Kept' });
    isPage(t, page, 400, JSON.stringify(changes));
    t.same(fieldErrors(page.body), errors);
    const { manager_employee_number: manager, ...others } = { manager_employee_number: '', ...changes };
    t.match(fieldValues(page.body), { ...others, manager_number: manager, location: 'Kept' });
  }
  t.same(await scene.stored(), before);
  t.same(await scene.events(), []);
});

t.test('rejects a cycle of managers', async (t) => {
  const scene = await employeeScene(
    api,
    [1, 2, 3].map((number) => ({ employeeNumber: `C${number}` })),
  );
  expectRedirect(t, await edit(scene, { manager_employee_number: 'C1' }, 1), /employee_updated$/);
  expectRedirect(t, await edit(scene, { manager_employee_number: 'C2' }, 2), /employee_updated$/);
  const page = await edit(scene, { manager_employee_number: 'C3' }, 0);
  isPage(t, page, 400);
  t.match(fieldErrors(page.body).manager_employee_number, 'reports to the employee');
  expectRedirect(t, await edit(scene, { manager_employee_number: '' }, 1), /employee_updated$/);
  expectRedirect(t, await edit(scene, { manager_employee_number: 'C3' }, 0), /employee_updated$/);
});

t.test('two concurrent changes do not form a cycle', async (t) => {
  const scene = await employeeScene(api, [{ employeeNumber: 'A' }, { employeeNumber: 'B' }]);
  const responses = await Promise.all([
    edit(scene, { manager_employee_number: 'B' }, 0),
    edit(scene, { manager_employee_number: 'A' }, 1),
  ]);
  t.same(responses.map(({ statusCode }) => statusCode).sort(), [303, 400]);
  t.equal((await scene.stored()).filter(({ managerId }) => managerId !== null).length, 1);
});

t.test('the second of two users who edit an employee sees both values, and can replace them', async (t) => {
  const scene = await employeeScene(api, [ada]);
  const { browser, ids } = scene;
  const form = await openForm(scene);
  expectRedirect(t, await edit(scene, { job_title: 'Countess', location: 'London' }), /employee_updated$/);
  const page = await browser.submit(pathOf(ids[0]), { ...form, job_title: 'Author', location: 'London' });
  isPage(t, page, 409);
  t.match(fieldErrors(page.body).job_title, 'Job title: another user changed this while');
  const rows = [...page.body.matchAll(/data-label="(Attribute|Saved|Yours)"><div>(.*?)<\/div>/g)];
  t.same(
    rows.map(([, , cell = '']) => cell.replaceAll(/<[^>]*>/g, '')),
    ['Job title', 'Countess', 'Author'],
  );
  t.match(fieldValues(page.body), { job_title: 'Author', location: 'London' });
  t.match(await scene.stored(), [{ jobTitle: 'Countess' }], 'nothing is replaced yet');
  expectRedirect(t, await browser.submit(pathOf(ids[0]), fieldValues(page.body)), /employee_updated$/);
  t.match(await scene.stored(), [{ jobTitle: 'Author', location: 'London' }]);
  t.equal((await scene.events()).length, 2);
});

t.test(
  'one of several concurrent submissions of a form succeeds, and the others show the conflict',
  async (t) => {
    const scene = await employeeScene(api, [ada]);
    const form = await openForm(scene);
    const responses = await Promise.all(
      Array.from({ length: 5 }, (_, index) =>
        scene.browser.submit(pathOf(scene.ids[0]), { ...form, job_title: `Title ${index}` }),
      ),
    );
    t.same(responses.map(({ statusCode }) => statusCode).sort(), [303, 409, 409, 409, 409]);
    t.equal((await scene.events()).length, 1);
  },
);

t.test('a form takes over what only another user has changed', async (t) => {
  const scene = await employeeScene(api, [ada]);
  const form = await openForm(scene);
  expectRedirect(t, await edit(scene, { job_title: '', location: 'London' }), /employee_updated$/);
  const { browser, ids } = scene;
  const changes = { hire_date: '2021-01-01', location: 'London' };
  expectRedirect(t, await browser.submit(pathOf(ids[0]), { ...form, ...changes }), /employee_updated$/);
  t.match(await scene.stored(), [
    { jobTitle: null, location: 'London', hireDate: new Date('2021-01-01'), firstName: 'Ada' },
  ]);
  const events = await scene.events();
  t.same(events.map(({ details }) => Object.keys(Object(details)).sort().join()).sort(), [
    'employee,employee_number,hire_date',
    'employee,employee_number,job_title,location',
  ]);
});

t.test('concurrent submissions that change different values are all saved', async (t) => {
  const scene = await employeeScene(api, [ada]);
  const form = await openForm(scene);
  const changes = [{ job_title: 'Author' }, { location: 'Paris' }, { first_name: 'Augusta' }];
  const responses = await Promise.all(
    changes.map((change) => scene.browser.submit(pathOf(scene.ids[0]), { ...form, ...change })),
  );
  for (const response of responses) expectRedirect(t, response, /employee_updated$/);
  t.match(await scene.stored(), [{ jobTitle: 'Author', location: 'Paris', firstName: 'Augusta' }]);
});

t.test('a form without the values that it was opened with replaces nothing', async (t) => {
  const scene = await employeeScene(api, [ada]);
  for (const opened of ['', 'x'])
    isPage(t, await edit(scene, { opened_job_title: opened, job_title: 'Changed' }), 409);
  t.match(await scene.stored(), [{ jobTitle: 'Analyst' }]);
});

t.test(
  'a form of an expired session is shown with its values and those that it was opened with',
  async (t) => {
    const scene = await employeeScene(api, [ada]);
    const { browser, user, ids } = scene;
    const form = await openForm(scene);
    await new Sessions(database, api.clock).revoke(browser.cookies.get('session') ?? '');
    const signIn = await browser.submit(pathOf(ids[0]), { ...form, job_title: 'Kept' });
    t.equal(signIn.statusCode, 401);
    const { email, password } = user;
    const signedIn = await browser.submitForm(signIn, '/sign_in', { email, password });
    const restored = await browser.submitForm(signedIn, pathOf(ids[0]), {});
    isPage(t, restored);
    t.match(fieldValues(restored.body), { job_title: 'Kept', opened_job_title: 'Analyst' });
    expectRedirect(t, await browser.submit(pathOf(ids[0]), fieldValues(restored.body)), /employee_updated$/);
  },
);
