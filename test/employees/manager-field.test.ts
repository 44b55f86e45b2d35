import { expectRedirect, isPage } from '../support/browser/pages.js';
import {
  type EmployeeScene,
  employeeScene,
  fieldErrors,
  fieldValues,
} from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });

const people = [
  { employeeNumber: 'E1', firstName: 'Ada', lastName: 'Lovelace' },
  {
    employeeNumber: 'M10',
    firstName: 'Grace',
    lastName: 'Hopper',
    email: 'grace@x.example',
    jobTitle: 'Rear <admiral>',
  },
  { employeeNumber: 'M11', firstName: 'Grace', lastName: 'Kelly' },
  { employeeNumber: 'M12', firstName: 'Grace', lastName: 'Kelly' },
];

const pathOf = ({ ids }: EmployeeScene) => `/people/employees/${ids[0]}/edit`;

/** Submits the form of the first employee with these values. */
async function edit(scene: EmployeeScene, changes: Record<string, string>, form?: string) {
  const { manager_match: _, ...values } = fieldValues(form ?? (await scene.browser.open(pathOf(scene))).body);
  return await scene.browser.submit(pathOf(scene), { ...values, ...changes });
}

const managerOf = async (scene: EmployeeScene) => {
  const [employee] = await scene.stored();
  return scene.ids.indexOf(employee?.managerId ?? '');
};

t.test('the manager is a number, an address, or a whole name that only one employee has', async (t) => {
  const scene = await employeeScene(api, people);
  for (const [text, manager] of [
    ['M10', 1],
    ['', -1],
    ['grace HOPPER', 1],
    ['Grace Kelly (M12)', 3],
    ['GRACE@X.EXAMPLE', 1],
    ['M11', 2],
  ] as const) {
    expectRedirect(t, await edit(scene, { manager_employee_number: text }), /employee_updated$/);
    t.equal(await managerOf(scene), manager, text);
  }
  const form = await scene.browser.open(pathOf(scene));
  t.match(form.body, 'value="Grace Kelly (M11)"');
  expectRedirect(t, await edit(scene, { location: 'Paris' }), /employee_updated$/);
  t.equal(await managerOf(scene), 2, 'unchanged');
});

t.test('other text shows who matches, and never selects one', async (t) => {
  const scene = await employeeScene(api, people);
  const form = (await scene.browser.open(pathOf(scene))).body;
  for (const [text, ...matches] of [
    ['Grace Kelly', 'M11', 'M12'],
    ['gra', 'M10', 'M11', 'M12'],
    ['hopper', 'M10'],
    ['M1', 'M10', 'M11', 'M12'],
    ['Nobody'],
    ['Wrong name (M11)'],
    [','],
  ] as const) {
    const page = await edit(scene, { manager_employee_number: text }, form);
    isPage(t, page, 400, text);
    t.match(fieldErrors(page.body).manager_employee_number, /^No employee of your account has exactly this/);
    const shown = [...page.body.matchAll(/name="manager_match" value="([^"]*)"/g)].map(
      ([, number]) => number,
    );
    t.same(shown, matches, text);
    t.match(fieldValues(page.body), { manager_employee_number: text });
  }
  t.equal(await managerOf(scene), -1);
  const page = await edit(scene, { manager_employee_number: 'grace' });
  t.match(page.body, 'Rear &lt;admiral>');
  const other = await edit(
    scene,
    { manager_employee_number: 'Grace Hopper', manager_match: 'M12' },
    page.body,
  );
  t.same(fieldErrors(other.body), {});
  t.equal(await managerOf(scene), 1, 'text that was changed replaces the selection');
  const again = await edit(scene, { manager_employee_number: 'grace' });
  const selected = await edit(scene, { manager_match: 'M12' }, again.body);
  expectRedirect(t, selected, /employee_updated$/);
  t.equal(await managerOf(scene), 3);
});

t.test('the suggestions are people of the account, for owners and administrators', async (t) => {
  const path = '/people/employees/suggestions';
  const { browser } = await employeeScene(api, people, 'admin');
  const page = await browser.open(`${path}?q=grace`);
  isPage(t, page);
  t.same(
    [...page.body.matchAll(/<li>([^<]*\(M\d+\))<\/li>/g)].map(([, text]) => text),
    ['Grace Hopper (M10)', 'Grace Kelly (M11)', 'Grace Kelly (M12)'],
  );
  const empty = '<ul id="suggestions"></ul>';
  t.match((await browser.open(path)).body, empty);
  t.match((await (await employeeScene(api, [])).browser.open(`${path}?q=grace`)).body, empty);
  const member = await employeeScene(api, people, 'member');
  isPage(t, await member.browser.open(`${path}?q=grace`), 403);
});
