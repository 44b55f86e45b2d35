import { expectRedirect, isPage } from '../support/browser/pages.js';
import { type EmployeeScene, employeeScene, fieldValues } from '../support/records/employee-scene.js';
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
  t.match((await browser.open(pathOf(ids[0]))).body, 'No changes are recorded.');
  await edit(scene, { status: 'on_leave', location: 'Lisbon', hire_date: '2021-03-01' });
  api.clock.advanceSeconds(1);
  await edit(scene, { manager_employee_number: 'M1' });
  api.clock.advanceSeconds(1);
  await edit(scene, { department: 'A → B', employee_number: 'E2' });
  const page = await browser.open(pathOf(ids[0]));
  isPage(t, page);
  t.match(page.body, `<a href="${pathOf(ids[0])}" aria-current="page">Changes</a>`);
  t.match(page.body, `<a href="/people/employees/${ids[1]}"><bdi>Grace Hopper</bdi></a>`);
  const changes = changesOn(page.body);
  t.equal(changes.length, 3);
  const { givenName, familyName } = await prisma.user.findFirstOrThrow({ where: { id: user.id } });
  for (const change of changes) t.ok(change.startsWith(`${givenName} ${familyName} changed`), change);
  t.match(changes[0], /Employee number E1 → changed to E2 Department Sales → A → B$/);
  t.match(changes[1], /Manager none → changed to Grace Hopper$/);
  t.match(
    changes[2],
    /Status Active → changed to On leave Location none → changed to Lisbon Hire date 29 Feb 2020 → changed to 1 Mar 2021$/,
  );
});

t.test('shows the imports that can be undone, with the values before them', async (t) => {
  const scene = await employeeScene(api, [{ department: 'Sales', location: 'Berlin' }, {}]);
  const { browser, ids, accountId } = scene;
  const at = api.clock();
  await edit(scene, { department: 'Marketing' });
  const positions = await prisma.employee.findMany({
    where: { accountId },
    select: { id: true, position: true },
  });
  const key = { accountId, id: 'import1' };
  await prisma.employeeImport.create({
    data: {
      ...key,
      userId: 'gone',
      address: '192.0.2.1',
      requestId: 'r',
      eventId: 'e',
      fileName: '<b>people.csv',
      format: 'csv',
      state: 'complete',
      finishedAt: new Date(at.getTime() + 1000),
      createdAt: at,
      expiresAt: new Date(at.getTime() + 1e9),
    },
  });
  const before = { department: 'Marketing', location: null };
  await prisma.employeeImportChange.createMany({
    data: positions.map(({ id, position }) => ({
      accountId,
      importId: key.id,
      position,
      version: '',
      expiresAt: new Date(at.getTime() + 1e9),
      ...(id === ids[0] && { before }),
    })),
  });
  const [imported, edited, ...others] = changesOn((await browser.open(pathOf(ids[0]))).body);
  t.same(others, []);
  t.match(
    imported,
    /^A deleted user changed with an import of &lt;b>people\.csv .* Department before: Marketing Location before: none$/,
  );
  t.match(edited, 'Sales → changed to Marketing');
  t.match((await browser.open(pathOf(ids[1]))).body, 'added the employee with an import');
});

t.test('pages lead to older changes, and another employee has none of them', async (t) => {
  const scene = await employeeScene(api, [{}, {}]);
  const { browser, ids, accountId } = scene;
  const at = api.clock().getTime();
  await prisma.auditEvent.createMany({
    data: Array.from({ length: 53 }, (_, index) => ({
      accountId,
      id: `event${index}`,
      type: 'employee.updated',
      // Several have the same time.
      createdAt: new Date(at + Math.floor(index / 3)),
      details: { employee: String(ids[0]), employee_number: 'E1', department: `D${index} → D${index + 1}` },
    })),
  });
  const first = await browser.open(pathOf(ids[0]));
  const [, next = ''] = /<a href="([^"]*)" rel="next">Older/.exec(first.body) ?? [];
  const second = await browser.open(next);
  isPage(t, second);
  const seen = [first, second].flatMap(({ body }) => changesOn(body));
  t.equal(changesOn(first.body).length, 50);
  t.equal(new Set(seen).size, 53);
  t.match(seen[0], /^The command line changed .* Department D5[12] → changed to/);
  t.notMatch(second.body, 'rel="next"');
  t.match((await browser.open(pathOf(ids[1]))).body, 'No changes are recorded.');
  for (const after of [
    'x',
    '0000-01-01T00:00:00.000Z_a',
    '2026-99-99T00:00:00.000Z_a',
    `${new Date(at).toISOString()}_..`,
    '_',
  ])
    t.equal(changesOn((await browser.open(`${pathOf(ids[0])}?after=${after}`)).body).length, 50, after);
});

t.test('a member, and a user of another account, see no changes', async (t) => {
  const { browser, ids } = await employeeScene(api, [{}], 'member');
  isPage(t, await browser.open(pathOf(ids[0])), 403);
  const { browser: stranger } = await employeeScene(api, []);
  isPage(t, await stranger.open(pathOf(ids[0])), 404);
});
