import { Accounts } from '../../src/platform/accounts/accounts.js';
import { hiddenFields } from '../support/browser/browser.js';
import { check, runImport, startUpload } from '../support/browser/import-pages.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { type EmployeeScene, employeeScene, fieldValues } from '../support/records/employee-scene.js';
import { csvHeader, importText } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { prisma } = api.database;

const pathOf = (id: string | undefined) => `/people/employees/${id}/changes`;

async function edit({ browser, ids }: EmployeeScene, changes: Record<string, string>) {
  const path = `/people/employees/${ids[0]}/edit`;
  const form = fieldValues((await browser.open(path)).body);
  expectRedirect(t, await browser.submit(path, { ...form, ...changes }), /employee_updated$/);
}

/** The changes of a page, each as its text. */
const changesOn = (html: string) =>
  [...html.matchAll(/<li><p>(.*?)<\/dl>/gs)].map(([, change = '']) =>
    change
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

t.test('shows who changed which values, with labels and names, newest first', async (t) => {
  const scene = await employeeScene(api, [
    { employeeNumber: 'E1', status: 'active', department: 'Sales', location: null, hireDate: '2020-02-29' },
    { employeeNumber: 'M1', firstName: 'Grace', lastName: 'Hopper' },
  ]);
  const { browser, ids, user } = scene;
  isPage(t, await browser.open(pathOf(ids[0])));
  await edit(scene, { status: 'on_leave', location: 'Lisbon', hire_date: '2021-03-01' });
  await edit(scene, { manager_employee_number: 'M1' });
  await edit(scene, { department: 'A → B', employee_number: 'E2' });
  const page = await browser.open(pathOf(ids[0]));
  isPage(t, page);
  t.match(page.body, 'Changes are kept for 400 days.');
  t.notMatch(page.body, 'audit log</a>', 'all changes of the account are in the history');
  t.match(page.body, `<a href="${pathOf(ids[0])}" aria-current="page">Changes</a>`);
  t.match(page.body, `<a href="/people/employees/${ids[1]}"><bdi>Grace Hopper</bdi></a>`);
  const changes = changesOn(page.body);
  t.equal(changes.length, 4);
  const { givenName, familyName } = await prisma.user.findFirstOrThrow({ where: { id: user.id } });
  for (const change of changes.slice(0, 3))
    t.ok(change.startsWith(`${givenName} ${familyName} changed `), change);
  t.match(changes[0], /Employee number E1 → changed to E2 Department Sales → changed to A → B$/);
  t.match(changes[1], /Manager none → changed to Grace Hopper$/);
  t.match(
    changes[2],
    /Status Active → changed to On leave Location none → changed to Lisbon Hire date 29 Feb 2020 → changed to 1 Mar 2021$/,
  );
  t.match(changes[3], /^The command line added the employee .* 8 values Employee number E1 /);
});

t.test('shows changes of imports with both values, and that an import was undone', async (t) => {
  const scene = await employeeScene(api, []);
  const { browser, accountId, user } = scene;
  const row = (department: string) => `${csvHeader}\nE1,Ada,,,active,${department}\n`;
  await importText(api.database, accountId, row('Sales'));
  const address = await startUpload(browser, row('<b>HR'));
  await check(api, browser, address);
  await runImport(api, browser, address);
  const undo = await browser.open(`${address}/undo`);
  await browser.submit(`${address}/undo`, hiddenFields(undo.body));
  const { id } = await prisma.employee.findFirstOrThrow({ where: { accountId } });
  await prisma.employeeImport.deleteMany({ where: { accountId } });
  const changes = changesOn((await browser.open(pathOf(id))).body);
  t.match(changes, [
    /changed by undoing an import .* Department &lt;b>HR → changed to Sales$/,
    /changed with an import .* Department Sales → changed to &lt;b>HR$/,
    /^The command line added the employee with an import .* 4 values .* Department Sales$/,
  ]);
  t.equal(changes.length, 3);
  await prisma.event.updateMany({ where: { accountId, userId: user.id }, data: { userId: 'gone' } });
  t.match(changesOn((await browser.open(pathOf(id))).body)[1], /^A deleted user changed with an import/);
});

t.test('shows values of custom attributes, sensitive ones included, and none of archived ones', async (t) => {
  const { browser, accountId, ids } = await employeeScene(api, [{}], 'admin');
  const id = String(ids[0]);
  await defineAttributes(api.database, accountId, [
    { key: 'salary', type: 'number', sensitive: true },
    { key: 'langs', type: 'choices', choices: ['English', 'German'] },
    { key: 'remote', type: 'boolean' },
    { key: 'until', type: 'date' },
    { key: 'old' },
  ]);
  const values = { salary: 5000, langs: ['English', 'German'], remote: true, until: '2027-08-31', old: 'O' };
  await setCustomValues(api.database, accountId, id, values);
  await setCustomValues(api.database, accountId, id, { ...values, old: 'N' });
  const shown = async () => changesOn((await browser.open(pathOf(id))).body);
  t.equal((await shown()).length, 3);
  await prisma.customAttribute.updateMany({
    where: { accountId, key: 'old' },
    data: { archivedAt: new Date() },
  });
  const [changed, created, ...others] = await shown();
  t.same(others, []);
  t.match(created, 'added the employee');
  const label = (key: string) => `Label of ${key} none → changed to`;
  for (const text of [
    `${label('langs')} English; German`,
    `${label('remote')} Yes`,
    `${label('salary')} 5000`,
    `${label('until')} 31 Aug 2027`,
  ])
    t.ok(changed?.includes(text), `${text} in ${changed}`);
  t.notMatch(changed, 'Label of old');
});

t.test('names where earlier changes are, while changes of that time may still be shown', async (t) => {
  const { browser, accountId, ids } = await employeeScene(api, [{}]);
  const hint = async () => {
    const { body } = await browser.open(pathOf(ids[0]));
    return /Those before .*<a href="\/people\/settings\/audit_log">audit log<\/a>/.test(body);
  };
  t.notOk(await hint(), 'a new account');
  const day = 86_400_000;
  const daysAgo = (days: number) => new Date(api.clock().getTime() - days * day);
  for (const [createdDaysAgo, completeDaysAgo, isShown] of [
    [1000, 399, true],
    [1000, 401, false],
    [1000, 1, true],
    [300, 300, false],
  ] as const) {
    await prisma.account.update({
      where: { id: accountId },
      data: { createdAt: daysAgo(createdDaysAgo), historySince: daysAgo(completeDaysAgo) },
    });
    t.equal(await hint(), isShown, `${createdDaysAgo} ${completeDaysAgo}`);
  }
});

t.test('an account that a command creates has all its changes in the history', async (t) => {
  const { accountId } = await new Accounts(api.database).create({ name: 'New', at: api.clock() });
  const { createdAt, historySince } = await prisma.account.findFirstOrThrow({ where: { id: accountId } });
  t.same(historySince, createdAt);
});

t.test('pages lead to older changes, and another employee has none of them', async (t) => {
  const scene = await employeeScene(api, [{}, {}]);
  const { browser, ids, accountId } = scene;
  for (let index = 0; index < 53; index += 1)
    await prisma.employee.updateMany({
      where: { accountId, id: String(ids[0]) },
      data: { department: `D${index}` },
    });
  const first = await browser.open(pathOf(ids[0]));
  const [, next = ''] = /<a href="([^"]*)" rel="next">Older/.exec(first.body) ?? [];
  const second = await browser.open(next);
  isPage(t, second);
  const seen = [first, second].flatMap(({ body }) => changesOn(body));
  t.equal(changesOn(first.body).length, 50);
  t.equal(seen.length, 54);
  t.match(seen[0], /^The command line changed .* Department D51 → changed to D52$/);
  t.match(seen[53], 'added the employee');
  t.notMatch(second.body, 'rel="next"');
  t.match(second.body, 'Newest');
  t.equal(changesOn((await browser.open(pathOf(ids[1]))).body).length, 1);
  for (const after of ['x', '0', '-1', '1.5', `1${'0'.repeat(30)}`, 'evt_1', '1;'])
    t.equal(
      changesOn((await browser.open(`${pathOf(ids[0])}?after=${encodeURIComponent(after)}`)).body).length,
      50,
      after,
    );
});

t.test('a member, and a user of another account, see no changes', async (t) => {
  const { browser, ids } = await employeeScene(api, [{}], 'member');
  isPage(t, await browser.open(pathOf(ids[0])), 403);
  const { browser: stranger } = await employeeScene(api, []);
  isPage(t, await stranger.open(pathOf(ids[0])), 404);
});
