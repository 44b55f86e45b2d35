import { changedEntries } from '../support/browser/form-entries.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import {
  type EmployeeScene,
  employeeScene,
  fieldErrors,
  fieldValues,
  validForm,
} from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;

const people = [
  { employeeNumber: 'E1', firstName: 'Ada', lastName: 'Lovelace' },
  { employeeNumber: 'M10', firstName: 'Grace', lastName: 'Hopper', email: 'hopper@x.example' },
  { employeeNumber: 'M11', firstName: 'Grace', lastName: 'Kelly' },
  { employeeNumber: 'M12', firstName: 'Grace', lastName: 'Kelly' },
];

const newPath = '/people/employees/new';
const pathOf = ({ ids }: EmployeeScene, page = '') => `/people/employees/${ids[0]}${page}`;

async function scene({ role = 'admin', required = false, sensitive = false } = {}) {
  const found = await employeeScene(api, people, role as 'admin' | 'member');
  await defineAttributes(database, found.accountId, [
    { key: 'mentor', type: 'employee', label: 'Mentor', required, sensitive },
    { key: 'buddy', type: 'employee', label: 'Buddy' },
    { key: 'note' },
  ]);
  return found;
}

const edit = async (scene: EmployeeScene, changes: Record<string, string>, html?: string) =>
  scene.browser.submit(
    pathOf(scene, '/edit'),
    changedEntries(html ?? (await scene.browser.open(pathOf(scene, '/edit'))).body, changes),
  );

const customOf = async (scene: EmployeeScene) => (await scene.stored())[0]?.custom;

t.test('the employee is a number, an address, or a whole name that only one employee has', async (t) => {
  const one = await scene();
  const [a, hopper, kelly] = one.ids;
  for (const [text, id] of [
    ['M10', hopper],
    ['grace HOPPER', hopper],
    ['Grace Kelly (M11)', kelly],
    ['HOPPER@X.EXAMPLE', hopper],
    ['E1', a],
  ] as const) {
    expectRedirect(t, await edit(one, { 'custom.mentor': text }), /employee_updated$/);
    t.same(await customOf(one), { mentor: id }, text);
  }
  const form = (await one.browser.open(pathOf(one, '/edit'))).body;
  t.match(form, 'value="Ada Lovelace (E1)"');
  t.match(form, '<label for="custom.mentor">Mentor (optional)</label>');
  expectRedirect(t, await edit(one, { 'custom.note': 'x', 'custom.buddy': 'M12' }), /employee_updated$/);
  t.same(await customOf(one), { mentor: a, buddy: one.ids[3], note: 'x' }, 'others are unchanged');
  expectRedirect(t, await edit(one, { 'custom.mentor': '' }), /employee_updated$/);
  t.same(await customOf(one), { buddy: one.ids[3], note: 'x' });
});

t.test('other text is rejected, shows who matches, and stores nothing', async (t) => {
  const one = await scene();
  const other = await employeeScene(api, [{ employeeNumber: 'FOREIGN' }]);
  const form = (await one.browser.open(pathOf(one, '/edit'))).body;
  for (const [text, ...matches] of [
    ['Grace Kelly', 'M11', 'M12'],
    ['hopper', 'M10'],
    ['Nobody'],
    ['Wrong name (M11)'],
    ['FOREIGN'],
    [other.ids[0] ?? ''],
    [','],
  ] as const) {
    const page = await edit(one, { 'custom.mentor': text, 'custom.note': 'lost' }, form);
    isPage(t, page, 400, text);
    t.match(fieldErrors(page.body), { 'custom.mentor': /^No employee of your account has exactly this/ });
    const shown = [...page.body.matchAll(/name="custom.mentor.match" value="([^"]*)"/g)].map(
      ([, one]) => one,
    );
    t.same(shown, matches, text);
    t.match(fieldValues(page.body), { 'custom.mentor': text });
  }
  t.equal(await customOf(one), null);
  const both = await edit(one, {
    'custom.mentor': 'Nobody',
    'custom.buddy': 'x',
    manager_employee_number: 'M10',
  });
  t.same(Object.keys(fieldErrors(both.body)), ['custom.mentor', 'custom.buddy']);
  const long = await edit(one, { 'custom.mentor': 'x'.repeat(256) });
  t.match(fieldErrors(long.body), { 'custom.mentor': /^Mentor must have at most 255 characters/ });
  const page = await edit(one, { 'custom.mentor': 'grace' });
  const selected = await edit(one, { 'custom.mentor.match': 'M12' }, page.body);
  expectRedirect(t, selected, /employee_updated$/);
  t.same(await customOf(one), { mentor: one.ids[3] });
});

t.test('a new employee has the references of the form, and a required one must be filled in', async (t) => {
  const one = await scene({ required: true });
  const create = async (changes: Record<string, string>) =>
    one.browser.submit(
      newPath,
      changedEntries((await one.browser.open(newPath)).body, { ...validForm, ...changes }),
    );
  const empty = await create({});
  isPage(t, empty, 400);
  t.match(fieldErrors(empty.body), { 'custom.mentor': 'Mentor is required.' });
  const unknown = await create({ 'custom.mentor': 'E100' });
  t.match(
    fieldErrors(unknown.body),
    { 'custom.mentor': /^No employee/ },
    'the new employee is not stored yet',
  );
  t.equal((await one.stored()).length, 4);
  expectRedirect(t, await create({ 'custom.mentor': 'M10' }), /employee_created$/);
  t.same((await one.stored()).find(({ employeeNumber }) => employeeNumber === 'E100')?.custom, {
    mentor: one.ids[1],
  });
  t.match((await one.events()).at(-1)?.details, { 'custom.mentor': one.ids[1] });
});

t.test('an employee who is deleted while the form is open is not referred to', async (t) => {
  const one = await scene();
  const form = (await one.browser.open(pathOf(one, '/edit'))).body;
  const filled = await edit(one, { 'custom.mentor': 'hopper' }, form);
  await prisma.employee.deleteMany({ where: { accountId: one.accountId, id: one.ids[1] ?? '' } });
  const page = await edit(one, { 'custom.mentor.match': 'M10' }, filled.body);
  isPage(t, page, 400);
  t.match(fieldErrors(page.body), { 'custom.mentor': /^No employee/ });
  t.equal(await customOf(one), null);
});

t.test('the page and the changes of an employee have the name with a link', async (t) => {
  const one = await scene();
  const [a = '', hopper = '', kelly = ''] = one.ids;
  expectRedirect(t, await edit(one, { 'custom.mentor': 'M10' }), /employee_updated$/);
  const link = `<a href="/people/employees/${hopper}"><bdi>Grace Hopper</bdi></a>`;
  t.match((await one.browser.open(pathOf(one))).body, link);
  t.match((await one.browser.open(pathOf(one, '/changes'))).body, link);
  api.clock.advanceSeconds(1);
  expectRedirect(t, await edit(one, { 'custom.mentor': 'M11' }), /employee_updated$/);
  await prisma.employee.deleteMany({ where: { accountId: one.accountId, id: hopper } });
  const changes = (await one.browser.open(pathOf(one, '/changes'))).body;
  t.match(changes, 'a deleted employee');
  t.match(changes, `<a href="/people/employees/${kelly}"><bdi>Grace Kelly</bdi></a>`);
  await setCustomValues(database, one.accountId, a, { mentor: a });
  t.match((await one.browser.open(pathOf(one))).body, '<bdi>Ada Lovelace</bdi></a>');
});

t.test('members do not see the employee of a sensitive attribute', async (t) => {
  const one = await scene({ role: 'member', sensitive: true });
  const [a = '', hopper = '', kelly = ''] = one.ids;
  await setCustomValues(database, one.accountId, a, { mentor: hopper, buddy: kelly });
  const { body } = await one.browser.open(pathOf(one));
  t.match(body, 'Grace Kelly');
  t.notMatch(body, 'Grace Hopper');
});
