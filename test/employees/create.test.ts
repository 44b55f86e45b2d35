import { hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { enterableNames } from '../support/input/hostile-names.js';
import {
  type EmployeeScene,
  employeeScene,
  fieldErrors,
  fieldValues,
  validForm,
} from '../support/records/employee-scene.js';
import { checkTree } from '../support/records/employee-tree.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const path = '/people/employees/new';

const create = async ({ browser }: EmployeeScene, changes: Record<string, string> = {}) =>
  browser.submitForm(await browser.open(path), path, { ...validForm, ...changes });

t.test('owners and administrators add an employee, which is audited', async (t) => {
  for (const role of ['owner', 'admin'] as const) {
    const scene = await employeeScene(api, [{ employeeNumber: 'M1' }], role);
    isPage(t, await scene.browser.open(path));
    t.match((await scene.browser.open('/people')).body, 'href="/people/employees/new"');
    const response = await create(scene, { manager_employee_number: 'M1' });
    const [employee] = await scene.stored();
    expectRedirect(t, response, `/people/employees/${employee?.id}?notice=employee_created`);
    t.match(employee, {
      employeeNumber: 'E100',
      firstName: 'Grace',
      lastName: 'Hopper',
      email: 'grace@x.example',
      status: 'active',
      department: 'Navy',
      jobTitle: 'Rear admiral',
      location: 'Arlington',
      hireDate: new Date('1943-12-01'),
      terminationDate: null,
      managerId: scene.ids[0],
      updatedAt: api.clock(),
    });
    const page = await scene.browser.open(String(response.headers.location));
    isPage(t, page);
    t.match(page.body, 'Employee added.');
    const [event, ...others] = await scene.events();
    t.same(others, []);
    t.match(event, { type: 'employee.created', userId: scene.user.id, address: '127.0.0.1' });
    t.same(event?.details, {
      employee: employee?.id,
      employee_number: 'E100',
      first_name: 'Grace',
      last_name: 'Hopper',
      email: 'grace@x.example',
      status: 'active',
      department: 'Navy',
      job_title: 'Rear admiral',
      location: 'Arlington',
      hire_date: '1943-12-01',
      manager_id: scene.ids[0],
    });
    const log = await scene.browser.open('/people/settings/audit_log?type=employee.created');
    isPage(t, log);
    t.match(log.body, 'Employee added');
  }
  await checkTree(t, database);
});

t.test('a status is one of the known ones, one that the account uses, or a new one', async (t) => {
  const scene = await employeeScene(api, []);
  const statusesOn = ({ body }: { body: string }) =>
    [
      ...(/<select id="status".*?<\/select>/s.exec(body)?.[0].matchAll(/value="([^"]*)"[^>]*>([^<]*)/g) ??
        []),
    ].map(([, value, label]) => `${value} ${label}`);
  const known = ['active Active', 'on_leave On leave', 'inactive Inactive', 'terminated Terminated'];
  t.same(statusesOn(await scene.browser.open('/people/employees/new')), known);
  const rejected = await create(scene, { new_status: 'x'.repeat(65) });
  isPage(t, rejected, 400);
  t.match(fieldErrors(rejected.body).status, /^Status must have/);
  t.equal(fieldValues(rejected.body).status, 'x'.repeat(65));
  const asked = await create(scene, { new_status: ' Sabbatical ' });
  isPage(t, asked, 400);
  t.match(fieldErrors(asked.body).status, 'the status “Sabbatical” yet. To add it, save again.');
  t.same(await scene.stored(), []);
  t.equal((await scene.browser.submitForm(asked, path, fieldValues(asked.body))).statusCode, 303);
  t.match(await scene.stored(), [{ status: 'Sabbatical' }]);
  const other = await employeeScene(api, []);
  t.same(statusesOn(await other.browser.open('/people/employees/new')), known, 'another account');
  t.same(statusesOn(await scene.browser.open('/people/employees/new')), [...known, 'Sabbatical Sabbatical']);
});

t.test('names each invalid field, keeps all values, and stores nothing', async (t) => {
  const scene = await employeeScene(api, []);
  const empty = await scene.browser.open(path);
  for (const [field, value, message] of [
    ['employee_number', '', /^Employee number is required\.$/],
    ['employee_number', '  ', /^Employee number is required\.$/],
    ['employee_number', 'x'.repeat(65), /^Employee number must have 1 to 64 characters/],
    ['employee_number', 'a\ufffdb', /^Employee number must be valid UTF-8\.$/],
    ['first_name', 'x'.repeat(256), /^First name must have/],
    ['email', 'nobody', /^E-mail must be an e-mail address\.$/],
    ['email', `${'x'.repeat(320)}@x`, /^E-mail must/],
    ['status', '', /^Status is required\.$/],
    ['status', 'x'.repeat(65), /^Status must have/],
    ['department', '', /^Department is required\.$/],
    ['job_title', 'x'.repeat(256), /^Job title must have/],
    ['location', 'x'.repeat(256), /^Location must have/],
    ['hire_date', '2023-02-29', /^Hire date must be/],
    ['hire_date', '0000-01-01', /^Hire date must be/],
    ['hire_date', '31.12.2020', /^Hire date must be/],
    ['termination_date', '2020-13-01', /^Termination date must be/],
    ['manager_employee_number', 'unknown', /^No employee of your account has exactly this/],
    ['manager_employee_number', 'E100', /^The manager must be another employee/],
    ['manager_employee_number', 'x'.repeat(256), /^Manager must have/],
  ] as const) {
    const page = await scene.browser.submitForm(empty, path, { ...validForm, [field]: value });
    isPage(t, page, 400, field);
    t.match(page.body, '<title>Error: Add employee');
    t.same(Object.keys(fieldErrors(page.body)), [field]);
    t.match(fieldErrors(page.body)[field], message);
    t.match(page.body, `<li><a href="#${field}">`);
    t.match(fieldValues(page.body), { ...validForm, [field]: value.trim() });
  }
  const page = await create(scene, { employee_number: '', email: 'x', hire_date: 'soon' });
  t.same(Object.keys(fieldErrors(page.body)), ['employee_number', 'email', 'hire_date'], 'all at once');
  t.match(page.body, /<input type="text" id="hire_date" name="hire_date" value="soon"/);
  t.same(await scene.stored(), []);
  t.same(await scene.events(), []);
});

t.test('rejects NUL characters and repeated fields', async (t) => {
  const scene = await employeeScene(api, []);
  isPage(t, await create(scene, { first_name: 'a\u0000b' }), 400);
  const hidden = Object.entries(hiddenFields((await scene.browser.open(path)).body));
  const twice = [...hidden, ...Object.entries(validForm), ['first_name', 'Ada']];
  isPage(t, await scene.browser.submit(path, twice), 400);
  t.same(await scene.stored(), []);
});

t.test('rejects an employee number that another employee of the account has', async (t) => {
  const scene = await employeeScene(api, [{ employeeNumber: 'E100' }]);
  const page = await create(scene, { manager_employee_number: 'nobody' });
  isPage(t, page, 400);
  t.match(fieldErrors(page.body), {
    employee_number: 'Another employee has this employee number.',
    manager_employee_number: /^No employee/,
  });
  t.equal((await scene.stored()).length, 1);
  expectRedirect(
    t,
    await create(await employeeScene(api, [])),
    /employee_created$/,
    'another account may use the number',
  );
});

t.test('the manager is not an employee of another account', async (t) => {
  await employeeScene(api, [{ employeeNumber: 'FOREIGN' }]);
  const scene = await employeeScene(api, []);
  const page = await create(scene, { manager_employee_number: 'FOREIGN' });
  isPage(t, page, 400);
  t.same(await scene.stored(), []);
});

t.test('one of several concurrent submissions with the same employee number succeeds', async (t) => {
  const scene = await employeeScene(api, []);
  const form = { ...hiddenFields((await scene.browser.open(path)).body), ...validForm };
  const responses = await Promise.all(Array.from({ length: 6 }, () => scene.browser.submit(path, form)));
  t.same(responses.map(({ statusCode }) => statusCode).sort(), [303, 400, 400, 400, 400, 400]);
  t.equal((await scene.stored()).length, 1);
  t.equal((await scene.events()).length, 1);
});

t.test('stores hostile names unchanged and escapes them', async (t) => {
  const scene = await employeeScene(api, []);
  const names = enterableNames.toSorted(
    (one, other) => Number(/[<"']/.test(other)) - Number(/[<"']/.test(one)),
  );
  for (const [index, name] of names.slice(0, 12).entries()) {
    const response = await create(scene, {
      ...{ employee_number: `H${index}`, first_name: name, location: name },
      email: `h${index}@x.example`,
    });
    expectRedirect(t, response, /employee_created$/, name);
    const employee = await database.prisma.employee.findFirstOrThrow({
      where: { accountId: scene.accountId, employeeNumber: `H${index}` },
    });
    t.equal(employee.firstName, name.trim().normalize('NFC'));
    for (const below of index < 4 ? ['', '/edit', '/delete'] : []) {
      const page = await scene.browser.open(`/people/employees/${employee.id}${below}`);
      t.equal(page.statusCode, 200);
      t.notMatch(page.body, /<script(?! src="\/assets\/)|<img|<h1>x|"[^"<>]*" onmouseover=/, name);
    }
  }
  const page = await create(scene, { first_name: '"><img src=x>', email: 'x' });
  isPage(t, page, 400);
  t.equal(fieldValues(page.body).first_name, '"><img src=x>');
});
