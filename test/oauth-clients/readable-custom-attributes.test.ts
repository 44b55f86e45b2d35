import { CustomAttributeChanges } from '../../src/features/employees/custom-attribute-changes.js';
import { CustomAttributePurge } from '../../src/features/employees/custom-attribute-purge.js';
import {
  applicationsPath,
  createThroughPage,
  expectRedirect,
  formOn,
  isPage,
} from '../support/browser/pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { defineAttributes, setCustomValues } from '../support/records/custom-attributes.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const { prisma } = database;
const changes = new CustomAttributeChanges(database);

const definitions = [
  { key: 'cost_center', label: 'Cost <center>' },
  { key: 'salary', label: 'Monthly salary', type: 'number', sensitive: true },
  { key: 'badge', label: 'Badge', archivedAt: new Date('2026-11-02') },
] as const;

/** The custom attributes on a form, each with whether it is selected. */
const choicesOn = (html: string) =>
  [...html.matchAll(/<input type="checkbox" name="attributes" value="(custom\.[^"]*)"( checked)?/g)].map(
    ([, name, checked]) => [name, checked !== undefined],
  );

/** An owner of an account with an employee, and an application. */
async function ownerAtWork({
  attributes = definitions as Parameters<typeof defineAttributes>[2],
  readableAttributes = [] as readonly string[],
} = {}) {
  const fields = { name: 'Bridge', scopes: ['employees:read', 'reports:read', 'user:read'] };
  const scene = await createScene(database, { ...fields, clientType: 'confidential', readableAttributes });
  const { accountId, application } = scene;
  await defineAttributes(database, accountId, attributes);
  const [employee = ''] = await insertEmployees(prisma, accountId, makeEmployees(1));
  const edit = `${applicationsPath}/${application.id}/edit`;
  const browser = await signedInBrowser(api, scene.user);
  const seen = new Set<string>();
  const form = { ...fields, redirect_uris: [scene.redirectUri] };
  return {
    ...{ scene, accountId, employee, edit, browser, context: { accountId, at: clock() } },
    address: `${applicationsPath}/${application.id}`,
    save: async (names: readonly string[], page?: Awaited<ReturnType<typeof browser.open>>) =>
      browser.submit(edit, formOn(page ?? (await browser.open(edit)), { ...form, attributes: names })),
    stored: async () => {
      const { id } = application;
      return (await prisma.application.findFirstOrThrow({ where: { id } })).readableAttributes;
    },
    /** Details of the changes that were recorded since the last call. */
    audited: async () => {
      const where = { accountId, type: 'application.updated', id: { notIn: [...seen] } };
      const events = await prisma.auditEvent.findMany({ where });
      for (const { id } of events) seen.add(id);
      return events.map(({ details }) => details);
    },
  };
}

t.test('forms offer active custom attributes, mark sensitive ones, and select none', async (t) => {
  const { browser, edit } = await ownerAtWork();
  for (const address of [`${applicationsPath}/new`, edit]) {
    const { body } = await browser.open(address);
    t.same(
      choicesOn(body),
      [
        ['custom.cost_center', false],
        ['custom.salary', false],
      ],
      address,
    );
    t.match(body, '<bdi>Cost &lt;center></bdi>');
    t.match(body, /<bdi>Monthly salary<\/bdi> \(sensitive\)/);
    t.equal(body.split('(sensitive)').length, 2, 'only the sensitive attribute is marked');
    t.notMatch(body, /badge/i);
  }
});

t.test('without active custom attributes, forms have no part for them', async (t) => {
  const archivedOnly = definitions.filter(({ key }) => key === 'badge');
  for (const attributes of [[], archivedOnly]) {
    const { browser, edit } = await ownerAtWork({ attributes });
    for (const address of [`${applicationsPath}/new`, edit])
      t.notMatch((await browser.open(address)).body, /Custom attributes<|custom\./, address);
  }
});

t.test('a choice is stored, shown with labels, recorded and removed', async (t) => {
  const { address, audited, browser, save, scene, stored } = await ownerAtWork();
  expectRedirect(t, await save(['custom.salary', 'hire_date', 'custom.salary']), /application_updated$/);
  t.same(await stored(), ['hire_date', 'custom.salary']);
  t.match((await browser.open(address)).body, /<code>custom\.salary<\/code> <bdi>Monthly salary<\/bdi>/);
  t.same(choicesOn((await browser.open(`${address}/edit`)).body), [
    ['custom.cost_center', false],
    ['custom.salary', true],
  ]);
  t.same(await audited(), [{ readable_attributes_added: ['hire_date', 'custom.salary'] }]);
  expectRedirect(t, await save(['custom.cost_center', 'hire_date']), /application_updated$/);
  t.same(await audited(), [
    { readable_attributes_added: ['custom.cost_center'], readable_attributes_removed: ['custom.salary'] },
  ]);
  expectRedirect(t, await save([]), /application_updated$/);
  t.same(await stored(), []);
  t.same(await audited(), [{ readable_attributes_removed: ['hire_date', 'custom.cost_center'] }]);

  isPage(t, await createThroughPage(browser, { name: 'New', attributes: ['custom.cost_center'] }));
  const { accountId } = scene;
  const created = await prisma.application.findFirstOrThrow({ where: { accountId, name: 'New' } });
  t.same(created.readableAttributes, ['custom.cost_center']);
  t.match(await prisma.auditEvent.findMany({ where: { accountId, type: 'application.created' } }), [
    { details: { readable_attributes: ['custom.cost_center'] } },
  ]);
});

t.test('unknown and archived attributes, and those of another account, are rejected', async (t) => {
  const other = await createTenant(database);
  await defineAttributes(database, other.accountId, [{ key: 'theirs' }]);
  const { accountId, audited, browser, save, stored } = await ownerAtWork();
  const count = () => prisma.application.count({ where: { accountId } });
  const before = await count();
  const form = await browser.open(`${applicationsPath}/new`);
  for (const name of [
    ...['custom.unknown', 'custom.badge', 'custom.theirs', 'custom.', 'custom', 'custom.__proto__'],
    ...[
      'salary',
      'custom.SALARY',
      'custom.*',
      '*',
      'custom.salary,custom.cost_center',
      'custom.salary hire_date',
    ],
  ]) {
    const attributes = ['custom.salary', name];
    const pages = [await save(attributes)];
    if (name.startsWith('custom.') || name === 'salary')
      pages.push(await createThroughPage(browser, { attributes }, [], form));
    for (const page of pages) {
      isPage(t, page, 400, name);
      t.match(page.body, '<a href="#attributes">Choose from the attributes in the list.</a>', name);
      t.same(
        choicesOn(page.body).filter(([, isChosen]) => isChosen),
        [['custom.salary', true]],
        name,
      );
    }
  }
  t.same(await stored(), []);
  t.same(await audited(), []);
  t.equal(await count(), before);
});

t.test('a choice applies to the next request of a token: record, list and feed', async (t) => {
  const { accountId, employee, save, scene } = await ownerAtWork();
  await setCustomValues(database, accountId, employee, { salary: 5_200, cost_center: 'C-1' });
  const token = await api.token(scene.application);
  const read = async (path: string) => (await api.get(path, token)).json();
  const seen = async () => {
    const events = (await read('/v1/events?page[size]=100')).data;
    return [
      (await read(`/v1/employees/${employee}`)).data.attributes.custom,
      (await read('/v1/employees')).data[0].attributes.custom,
      events.at(-1)?.resource.attributes.custom,
      events.at(-1)?.changed?.filter((name: string) => name.startsWith('custom.')) ?? [],
    ];
  };
  const salary = { salary: 5_200 };
  const both = { ...salary, cost_center: 'C-1' };
  t.same(await seen(), [undefined, undefined, undefined, []]);
  await save(['custom.salary']);
  t.same(await seen(), [salary, salary, salary, ['custom.salary']]);
  await save(['custom.salary', 'custom.cost_center']);
  t.same(await seen(), [both, both, both, ['custom.cost_center', 'custom.salary']]);
  await save([]);
  t.same(await seen(), [undefined, undefined, undefined, []]);
  t.equal(
    (await read('/v1/employee_attributes')).data.some(({ id }: { id: string }) => id.includes('custom')),
    false,
  );
});

t.test(
  'what was chosen of an archived attribute is kept by the form, and applies when it is restored',
  async (t) => {
    const { accountId, audited, browser, context, edit, employee, save, scene, stored } = await ownerAtWork({
      readableAttributes: ['custom.salary', 'custom.cost_center'],
    });
    await setCustomValues(database, accountId, employee, { salary: 5_200, cost_center: 'C-1' });
    const token = await api.token(scene.application);
    const custom = async () =>
      (await api.get(`/v1/employees/${employee}`, token)).json().data.attributes.custom;
    const open = await browser.open(edit);
    await changes.archive(context, 'salary');
    t.same(await custom(), { cost_center: 'C-1' });
    const both = ['custom.salary', 'custom.cost_center'];
    expectRedirect(t, await save(both, open), /application_updated$/, 'the form was open before');
    t.same((await stored()).toSorted(), both.toSorted());
    t.same(await audited(), []);
    isPage(t, await save([...both, 'hire_date'], open), 409, 'the form shows what has changed meanwhile');
    t.same(choicesOn((await browser.open(edit)).body), [['custom.cost_center', true]]);
    expectRedirect(t, await save(['custom.cost_center', 'hire_date']), /application_updated$/);
    t.same((await stored()).toSorted(), ['custom.cost_center', 'custom.salary', 'hire_date']);
    t.same(await audited(), [{ readable_attributes_added: ['hire_date'] }]);
    expectRedirect(t, await save([]), /application_updated$/, 'no attribute is selected');
    t.same(await stored(), ['custom.salary']);
    t.same(await custom(), {}, 'no value of an archived attribute');
    t.same(await audited(), [{ readable_attributes_removed: ['hire_date', 'custom.cost_center'] }]);
    await changes.restore(context, 'salary');
    t.same(await custom(), { salary: 5_200 });
    t.match(choicesOn((await browser.open(edit)).body), [
      ['custom.cost_center', false],
      ['custom.salary', true],
    ]);
  },
);

t.test('an attribute that is deleted and added again with the same key is not readable', async (t) => {
  const { accountId, browser, context, edit, employee, scene, stored } = await ownerAtWork({
    readableAttributes: ['hire_date', 'custom.salary', 'custom.cost_center'],
  });
  const token = await api.token(scene.application);
  await changes.archive(context, 'salary');
  await changes.requestPurge(context, 'salary');
  await new CustomAttributePurge({ database, clock }).purge(accountId, 'salary');
  t.same(await stored(), ['hire_date', 'custom.cost_center']);
  await defineAttributes(database, accountId, [{ key: 'salary', label: 'Salary', type: 'number' }]);
  await setCustomValues(database, accountId, employee, { salary: 7_000 });
  const { attributes } = (await api.get(`/v1/employees/${employee}`, token)).json().data;
  t.same(attributes.custom, {}, 'cost_center is readable, and has no value');
  t.same(
    new Map(choicesOn((await browser.open(edit)).body) as [string, boolean][]).get('custom.salary'),
    false,
  );
});
