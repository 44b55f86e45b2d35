import { changedEntries } from '../support/browser/form-entries.js';
import { confirm, expectRedirect, isPage } from '../support/browser/pages.js';
import { createUser, signedInBrowser } from '../support/oauth/users.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { type EmployeeScene, employeeScene } from '../support/records/employee-scene.js';
import { csvHeader, importText } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;

const definitions = [
  { key: 'cost_center' },
  { key: 'notes', type: 'long_text' },
  { key: 'salary', type: 'number', sensitive: true },
  { key: 'birthday', type: 'date', sensitive: true },
  { key: 'remote', type: 'boolean' },
  { key: 'size', type: 'choice', choices: ['Small', 'Large'] },
  { key: 'languages', type: 'choices', choices: ['English', 'German'] },
  { key: 'constructor' },
] as const;

const values = {
  cost_center: 'C1',
  notes: 'One\nTwo',
  salary: 1234567.5,
  birthday: '1990-02-28',
  remote: true,
  size: 'Small',
  languages: ['English', 'German'],
};

const pathOf = ({ ids }: EmployeeScene, below = '') => `/people/employees/${ids[0]}${below}`;

async function sceneWith(custom: object) {
  const people = ['E1', 'E2'].map((employeeNumber) => ({
    employeeNumber,
    updatedAt: new Date('2026-01-02T03:04:05Z'),
  }));
  const scene = await employeeScene(api, people, 'admin');
  await defineAttributes(database, scene.accountId, definitions);
  await setCustomValues(database, scene.accountId, String(scene.ids[0]), custom);
  return scene;
}

/** A browser of a member of the account. */
const memberOf = async ({ accountId }: EmployeeScene) =>
  await signedInBrowser(api, await createUser(database, accountId, { role: 'member' }));

const edit = async (scene: EmployeeScene, changes: Record<string, string | readonly string[]>) => {
  const path = pathOf(scene, '/edit');
  const page = await scene.browser.open(path);
  expectRedirect(t, await scene.browser.submit(path, changedEntries(page.body, changes)), /updated$/);
};

const facts = (html: string) =>
  [...html.matchAll(/<dt>([^<]*)<\/dt><dd>(.*?)<\/dd>/gs)].map(([, name = '', value = '']) => [name, value]);

/** The names and values of custom attributes on a page. */
const customFacts = (html: string) =>
  Object.fromEntries(facts(html).filter(([name = '']) => name.startsWith('Label of ')));

const updatedAt = (html: string) => /<dt>Updated at<\/dt><dd><time datetime="([^"]*)"/i.exec(html)?.[1];

const archive = ({ accountId }: EmployeeScene, key: string) =>
  prisma.customAttribute.updateMany({ where: { accountId, key }, data: { archivedAt: new Date() } });

t.test('the page of an employee has no part for custom attributes without any', async (t) => {
  const scene = await employeeScene(api, [{}]);
  t.notMatch((await scene.browser.open(pathOf(scene))).body, '<h2>More</h2>');
});

t.test('shows a value of every type, and a dash for none', async (t) => {
  const scene = await sceneWith(values);
  const page = await scene.browser.open(pathOf(scene));
  isPage(t, page);
  t.match(page.body, '<h2>More</h2>');
  t.same(customFacts(page.body), {
    'Label of cost_center': '<bdi>C1</bdi>',
    'Label of notes': '<bdi class="lines">One\nTwo</bdi>',
    'Label of salary': '<bdi>1234567.5</bdi>',
    'Label of birthday': '<time datetime="1990-02-28">28 Feb 1990</time>',
    'Label of remote': '<bdi>Yes</bdi>',
    'Label of size': '<bdi>Small</bdi>',
    'Label of languages': '<ul class="plain"><li><bdi>English</bdi></li><li><bdi>German</bdi></li></ul>',
    'Label of constructor': '–',
  });
  const other = await scene.browser.open(`/people/employees/${scene.ids[1]}`);
  t.same(new Set(Object.values(customFacts(other.body))), new Set(['–']));
  await archive(scene, 'cost_center');
  await prisma.customAttribute.updateMany({
    where: { accountId: scene.accountId, key: 'size' },
    data: { choices: ['Large'] },
  });
  const later = await scene.browser.open(pathOf(scene));
  t.notMatch(later.body, /cost_center|>C1</);
  t.equal(customFacts(later.body)['Label of size'], '<bdi>Small</bdi>', 'a removed choice');
});

t.test('members see sensitive attributes on no page', async (t) => {
  const scene = await sceneWith({ ...values, salary: 987654321 });
  const { ids } = scene;
  await prisma.employee.updateMany({ where: { id: String(ids[1]) }, data: { managerId: String(ids[0]) } });
  const member = await memberOf(scene);
  const page = await member.open(pathOf(scene));
  isPage(t, page);
  t.same(Object.keys(customFacts(page.body)).length, definitions.length - 2);
  for (const address of [
    ...[pathOf(scene), `/people/employees/${ids[1]}`, '/people', '/people?q=98765432', '/people?q=1990'],
    ...[`/people/org_chart/${ids[0]}`, '/people/org_chart', '/people/employees/new'],
    ...[pathOf(scene, '/edit'), pathOf(scene, '/changes'), `/people/employees/change?employee=${ids[0]}`],
  ]) {
    const { body } = await member.open(address);
    t.notMatch(body, /salary|birthday|987654321|1990-02-28|28 Feb 1990/, address);
  }
});

t.test('the time of the last change is that of what the reader sees', async (t) => {
  const scene = await sceneWith({});
  const member = await memberOf(scene);
  const times = async () =>
    [await scene.browser.open(pathOf(scene)), await member.open(pathOf(scene))].map(({ body }) =>
      updatedAt(body),
    );
  const start = '2026-01-02T03:04:05.000Z';
  t.same(await times(), [start, start]);
  await edit(scene, { 'custom.salary': '1' });
  const first = api.clock().toISOString();
  t.same(await times(), [first, start], 'a sensitive attribute');
  api.clock.advanceSeconds(60);
  await edit(scene, { 'custom.cost_center': 'C2' });
  const second = api.clock().toISOString();
  t.same(await times(), [second, second]);
  api.clock.advanceSeconds(60);
  await edit(scene, { 'custom.birthday': '2000-01-01', location: 'Paris' });
  const third = api.clock().toISOString();
  t.same(await times(), [third, third], 'an attribute of the contract');
});

/** The changes of a page, each as its text. */
const changesOn = (html: string) =>
  [...html.matchAll(/<li><p>(.*?)<\/dl>/gs)].map(([, change = '']) =>
    change
      .replaceAll(/<[^>]*>/g, ' ')
      .replaceAll(/\s+/g, ' ')
      .trim(),
  );

t.test('the changes have the labels and values of custom attributes that are not archived', async (t) => {
  const scene = await sceneWith(values);
  await edit(scene, {
    'custom.cost_center': 'a → b',
    'custom.remote': 'no',
    'custom.birthday': '2001-02-03',
    'custom.languages': [],
    'custom.constructor': '<b>new</b>',
  });
  const [change = ''] = changesOn((await scene.browser.open(pathOf(scene, '/changes'))).body);
  t.match(
    change,
    /Label of cost_center C1 → changed to a → b Label of birthday 28 Feb 1990 → changed to 3 Feb 2001/,
  );
  t.match(change, 'Label of remote Yes → changed to No');
  t.match(change, 'Label of languages English; German → changed to none');
  t.match(change, 'Label of constructor none → changed to &lt;b>new&lt;/b>');
  t.notMatch(change, 'notes');
  await archive(scene, 'birthday');
  await prisma.customAttribute.deleteMany({ where: { accountId: scene.accountId, key: 'cost_center' } });
  const later = await scene.browser.open(pathOf(scene, '/changes'));
  isPage(t, later);
  t.notMatch(later.body, /cost_center|birthday|2001/);
  t.match(later.body, 'Label of remote');
});

t.test(
  'a value of a deleted attribute with the same key and another type is shown as it is recorded',
  async (t) => {
    const scene = await sceneWith(values);
    await edit(scene, { 'custom.cost_center': 'yesterday' });
    await prisma.customAttribute.updateMany({
      where: { accountId: scene.accountId, key: 'cost_center' },
      data: { type: 'date' },
    });
    const page = await scene.browser.open(pathOf(scene, '/changes'));
    isPage(t, page);
    t.match(changesOn(page.body), ['C1 → changed to yesterday']);
  },
);

/** An import that has changed custom attributes of the first employee. */
async function recordImport({ accountId, ids }: EmployeeScene, before: object) {
  const at = api.clock();
  const expiresAt = new Date(at.getTime() + 1e9);
  const key = { accountId, id: 'import1' };
  await prisma.employeeImport.create({
    data: {
      ...{
        ...key,
        userId: 'gone',
        address: '192.0.2.1',
        requestId: 'r',
        eventId: 'e',
        fileName: 'people.csv',
      },
      ...{ format: 'csv', state: 'complete', finishedAt: at, createdAt: at, expiresAt },
    },
  });
  const { position } = await prisma.employee.findFirstOrThrow({ where: { accountId, id: String(ids[0]) } });
  await prisma.employeeImportChange.create({
    data: { accountId, importId: key.id, position, version: '', expiresAt, before },
  });
}

t.test('the changes of an import have both values of custom attributes', async (t) => {
  const scene = await sceneWith(values);
  const { body } = await scene.browser.open(pathOf(scene, '/edit'));
  const [, email = ''] = /name="email"[^>]*value="([^"]*)"/.exec(body) ?? [];
  const columns = 'custom.remote,custom.languages,custom.salary,custom.constructor';
  await importText(
    database,
    scene.accountId,
    `${csvHeader},${columns}\nE1,F,L,${email},active,IT,no,German,,new\n`,
  );
  const [change = ''] = changesOn((await scene.browser.open(pathOf(scene, '/changes'))).body);
  const of = (key: string, from: string, to: string) => `Label of ${key} ${from} → changed to ${to}`;
  const expected = [
    of('salary', '1234567.5', 'none'),
    of('remote', 'Yes', 'No'),
    of('languages', 'English; German', 'German'),
    of('constructor', 'none', 'new'),
  ];
  t.ok(change.startsWith('The command line changed with an import'), change);
  t.ok(change.endsWith(expected.join(' ')), change);
});

/** Names of the tables with rows of an account that contain a text. */
async function tablesWith({ accountId }: EmployeeScene, text: string): Promise<string[]> {
  const tables = await prisma.$queryRaw<{ name: string }[]>`
    SELECT c.relname::text AS name FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'account_id'
    WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace ORDER BY 1`;
  const found: string[] = [];
  for (const { name } of tables) {
    const rows = await prisma.$queryRawUnsafe<{ count: number }[]>(
      `SELECT count(*)::int AS count FROM "${name}" AS given WHERE account_id = $1 AND given::text LIKE $2`,
      accountId,
      `%${text}%`,
    );
    if (rows[0]?.count !== 0) found.push(name);
  }
  return found;
}

t.test('deleting an employee erases its values everywhere', async (t) => {
  const scene = await sceneWith({ cost_center: 'MARKER1' });
  await recordImport(scene, { custom: { cost_center: 'MARKER2', notes: 'MARKER1' } });
  await edit(scene, { 'custom.notes': 'MARKER3', location: 'MARKER4' });
  await edit(scene, { 'custom.cost_center': 'C', 'custom.notes': 'N' });
  t.same(await tablesWith(scene, 'MARKER3'), ['audit_events', 'events']);
  t.same(await tablesWith(scene, 'MARKER2'), ['employee_import_changes']);
  expectRedirect(t, await confirm(scene.browser, pathOf(scene, '/delete')), /employee_deleted$/);
  t.same(await tablesWith(scene, 'MARKER'), []);
  const changes = await prisma.employeeImportChange.findMany({ where: { accountId: scene.accountId } });
  t.same(
    changes.map(({ before }) => before),
    [{}],
    'that an import has changed the employee is kept',
  );
  t.equal((await scene.stored()).length, 1);
});
