import { expectRedirect, isPage } from '../support/browser/pages.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import { createTestClock } from '../support/server/clock.js';
import t from '../support/tap.js';

const clock = createTestClock(new Date('2026-11-30T12:00:00Z'));
const api = await buildTestApp(t, { clock, environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;

/** The figures of the page, by label: the number, and where its link leads. */
const figuresOn = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/<a href="([^"]*)"><span>([^<]*)<\/span> <strong>([^<]*)<\/strong>/g)].map(
      ([, href = '', label = '', value = '']) => [label, { value, href }],
    ),
  );

/** The last names on a page of the directory. */
const lastNamesOn = (html: string) =>
  [...html.matchAll(/<a href="\/people\/employees\/[a-z0-9]{16}">([^<,]*),/g)].map(([, name]) => name);

const staff = [
  { lastName: 'Head', hireDate: '2020-01-01' },
  { lastName: 'Joiner', hireDate: '2026-11-01', email: 'Shared@x.example' },
  { lastName: 'Leaver', terminationDate: '2026-11-30', email: 'shared@X.example' },
  { lastName: 'Later', hireDate: '2026-12-01', terminationDate: '2027-11-05' },
  { lastName: 'Former', status: 'terminated', terminationDate: '2026-10-31' },
  { lastName: 'Away', status: 'on_leave' },
  { lastName: 'Custom', status: 'sabbatical', email: 'Twice@x.example' },
  { lastName: 'Twin', email: 'Twice@x.example', status: 'inactive' },
];

t.test('Home counts people, and each link leads to exactly these people', async (t) => {
  const { browser, ids, accountId } = await employeeScene(
    api,
    staff.map((person) => ({ hireDate: '2021-05-05', terminationDate: null, status: 'active', ...person })),
  );
  await employeeScene(api, [{ hireDate: '2026-11-02' }]);
  await prisma.employee.updateMany({
    where: { accountId, lastName: { in: ['Joiner', 'Away', 'Later'] } },
    data: { managerId: ids[0] ?? null },
  });
  const page = await browser.open('/people/home');
  isPage(t, page);
  t.match(page.body, /<a href="\/people\/home" aria-current="page">/);
  const figures = figuresOn(page.body);
  const expected = {
    Headcount: ['Away', 'Custom', 'Head', 'Joiner', 'Later', 'Leaver'],
    'Joiners this month': ['Joiner'],
    'Leavers this month': ['Leaver'],
    'On leave': ['Away'],
  };
  t.same(Object.keys(figures), Object.keys(expected));
  for (const [label, people] of Object.entries(expected)) {
    const { value, href = '' } = figures[label] ?? {};
    t.equal(value, String(people.length), label);
    t.same(lastNamesOn((await browser.open(href)).body), people, label);
  }
  const problems = {
    '3 without manager': ['Custom', 'Head', 'Leaver'],
    '2 shared e-mail addresses': ['Custom', 'Joiner', 'Leaver', 'Twin'],
  };
  for (const [text, people] of Object.entries(problems)) {
    const [, href = ''] = new RegExp(`<a href="([^"]*)">${text}</a>`).exec(page.body) ?? [];
    const list = await browser.open(href);
    t.same(lastNamesOn(list.body), people, text);
    t.match(list.body, `${people.length} people`, 'the directory counts them');
  }
});

t.test('the month is that of the time zone of the user', async (t) => {
  const { browser, user } = await employeeScene(api, [{ hireDate: '2026-12-01', terminationDate: null }]);
  const joiners = async () =>
    figuresOn((await browser.open('/people/home')).body)['Joiners this month']?.value;
  t.equal(await joiners(), '0');
  await prisma.user.updateMany({ where: { id: user.id }, data: { zoneinfo: 'Pacific/Kiritimati' } });
  t.equal(await joiners(), '1', 'it is 1 December there');
});

t.test('the directory keeps a selection with other filters, and ignores an unknown one', async (t) => {
  const { browser } = await employeeScene(api, [
    { lastName: 'One', department: 'Sales', hireDate: '2026-11-05' },
    { lastName: 'Two', department: 'Legal', hireDate: '2026-11-05' },
    { lastName: 'Three', department: 'Legal', hireDate: '2025-11-05' },
  ]);
  const legal = await browser.open('/people?only=joiners_2026-11&department=Legal');
  t.same(lastNamesOn(legal.body), ['Two']);
  t.match(legal.body, '<input type="hidden" name="only" value="joiners_2026-11"');
  t.match(legal.body, /<a href="\/people\?department=Legal">Joiners in November 2026/, 'can be removed');
  t.same(lastNamesOn((await browser.open('/people?only=joiners_2026-11&q=One')).body), ['One']);
  for (const only of ['joiners_2026-13', 'joiners_0000-01', "joiners_2026-11' OR true", 'constructor']) {
    const page = await browser.open(`/people?${new URLSearchParams({ only })}`);
    t.equal(lastNamesOn(page.body).length, 3, only);
  }
});

t.test('members land in the directory, administrators on Home', async (t) => {
  const { accountId } = await createScene(database);
  const browserOf = async (role: 'member' | 'admin') =>
    signedInBrowser(api, await createUser(database, accountId, { role }));
  const member = await browserOf('member');
  expectRedirect(t, await member.open('/people/home'), '/people');
  t.notMatch((await member.open('/people')).body, 'href="/people/home"');
  isPage(t, await (await browserOf('admin')).open('/people/home'));
});

t.test('a new account gets a checklist, which ends with the last step or after 30 days', async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const open = async () => (await browser.open('/people/home')).body;
  await prisma.account.updateMany({ where: { id: accountId }, data: { createdAt: new Date('2026-11-01') } });
  const first = await open();
  t.match(first, /1 of 4 done/, 'the scene has an application');
  for (const address of ['/people/employees/import', '/people/settings/users/invite', '/people/reports/new'])
    t.match(first, `<a href="${address}">`);
  t.same(figuresOn(first), {}, 'no figures without employees');

  const other = await employeeScene(api, [{}]);
  const at = (createdAt: string) =>
    prisma.account.updateMany({ where: { id: other.accountId }, data: { createdAt: new Date(createdAt) } });
  await at('2026-11-01');
  t.match((await other.browser.open('/people/home')).body, /2 of 4 done/);
  await at('2026-10-01');
  t.notMatch((await other.browser.open('/people/home')).body, 'Set up your account');
});

t.test('recent changes are the newest, without sign-ins, and name what still exists', async (t) => {
  const { browser, accountId, ids, user } = await employeeScene(api, [
    { firstName: '<b>Ada', lastName: 'Lovelace' },
  ]);
  const event = (type: string, minute: number, details: Record<string, string>, userId: string | null) => ({
    ...{ id: `${type}${minute}`, accountId, type, details, userId },
    createdAt: new Date(Date.UTC(2026, 10, 30, 11, minute)),
  });
  const earlier = Array.from({ length: 8 }, (_, index) =>
    event('report.updated', index, { title: `Report ${index}` }, user.id),
  );
  await prisma.auditEvent.createMany({
    data: [
      ...earlier,
      event('employee.updated', 10, { employee: ids[0] ?? '', department: 'A → B' }, user.id),
      event('employee.deleted', 11, { employee: 'xxxxxxxx00000009' }, 'deleteduser'),
      event('employees.imported', 12, { file: '<i>staff.csv' }, null),
      event('sign_in.succeeded', 13, {}, user.id),
    ],
  });
  const { body } = await browser.open('/people/home');
  const rows = [...body.slice(body.indexOf('id="changes"')).matchAll(/<li>(.*?)<\/li>/gs)].map(
    ([, row = '']) =>
      row
        .replaceAll(/<[^>]*>/g, ' ')
        .replaceAll(/\s+/g, ' ')
        .trim(),
  );
  t.equal(rows.length, 8);
  t.match(rows[0], /^Employees imported &lt;i>staff.csv Operator 30 Nov 2026/);
  t.match(rows[1], /^Employee deleted Deleted user/);
  t.match(rows[2], /^Employee changed &lt;b>Ada Lovelace Ada Lovelace/);
  t.match(rows[3], /^Report changed Report 7/);
  t.match(body, `href="/people/employees/${ids[0]}"`);
});
