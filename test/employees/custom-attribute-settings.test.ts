import type { LightMyRequestResponse } from 'fastify';
import type { Role } from '../../src/platform/accounts/user.js';
import type { Browser } from '../support/browser/browser.js';
import { confirm, expectRedirect, isPage } from '../support/browser/pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { defineAttributes } from '../support/records/custom-attributes.js';
import { fieldErrors } from '../support/records/employee-scene.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { prisma } = api.database;
const root = '/people/settings/employee_attributes';

/** An account and a browser of its user. */
async function scene(role: Role = 'admin') {
  const { accountId, user } = await createScene(api.database, { role });
  return {
    accountId,
    user,
    browser: await signedInBrowser(api, user),
    stored: (key: string) =>
      prisma.customAttribute.findUnique({ where: { accountId_key: { accountId, key } } }),
    keys: async () =>
      (await prisma.customAttribute.findMany({ where: { accountId }, orderBy: { key: 'asc' } })).map(
        ({ key }) => key,
      ),
    events: async () =>
      (
        await prisma.auditEvent.findMany({
          where: { accountId, type: { startsWith: 'custom_attribute.' } },
          orderBy: { type: 'asc' },
        })
      ).map(({ type, userId, details }) => ({ type, userId, details })),
  };
}

const add = async (browser: Browser, fields: Record<string, string>): Promise<LightMyRequestResponse> =>
  browser.submitForm(await browser.open(`${root}/new`), root, { type: 'text', ...fields });

const edit = async (browser: Browser, key: string, fields: Record<string, string>) => {
  const path = `${root}/${key}/edit`;
  return browser.submitForm(await browser.open(path), path, fields);
};

t.test(
  'attributes are added, edited, archived, restored and deleted, each with an audit event',
  async (t) => {
    const { accountId, user, browser, stored, events } = await scene('owner');
    const empty = await browser.open(root);
    isPage(t, empty);
    t.match(empty.body, 'No employee attributes yet.');
    t.match((await browser.open(`${root}/new`)).body, 'Applications cannot read the attribute until');

    const created = await add(browser, {
      ...{ label: 'Größe (T-Shirt)', type: 'choice', choices: 'S\r\n\r\n M \r\nL' },
      ...{ description: 'For the shop', sensitive: 'yes' },
    });
    expectRedirect(t, created, `${root}?notice=attribute_created`);
    t.match(await stored('grosse_t_shirt'), {
      ...{ accountId, label: 'Größe (T-Shirt)', type: 'choice', choices: ['S', 'M', 'L'] },
      ...{ description: 'For the shop', required: false, sensitive: true, archivedAt: null },
    });
    const list = await browser.open(root);
    for (const text of ['Größe (T-Shirt)', '<code>grosse_t_shirt</code>', 'One choice'])
      t.match(list.body, text);

    const fields = { label: 'T-shirt', description: '', choices: 'S\nL', required: 'yes' };
    expectRedirect(t, await edit(browser, 'grosse_t_shirt', fields), `${root}?notice=attribute_updated`);
    t.match(await stored('grosse_t_shirt'), {
      ...{ label: 'T-shirt', type: 'choice', choices: ['S', 'L'], description: null },
      ...{ required: true, sensitive: false },
    });
    await edit(browser, 'grosse_t_shirt', { ...fields, key: 'other', type: 'number' });
    t.match(await stored('grosse_t_shirt'), { type: 'choice' }, 'key and type cannot be changed');

    const address = `${root}/grosse_t_shirt`;
    expectRedirect(t, await browser.open(`${address}/delete`), `${address}/edit`);
    expectRedirect(t, await confirm(browser, `${address}/archive`), `${root}?notice=attribute_archived`);
    t.ok((await stored('grosse_t_shirt'))?.archivedAt);
    t.match((await browser.open(root)).body, 'Archived');
    expectRedirect(t, await browser.open(`${address}/archive`), `${address}/edit`);
    const restore = async () =>
      browser.submitForm(await browser.open(`${address}/edit`), `${address}/restore`, {});
    expectRedirect(t, await restore(), `${root}?notice=attribute_restored`);
    t.equal((await stored('grosse_t_shirt'))?.archivedAt, null);
    await confirm(browser, `${address}/archive`);
    expectRedirect(
      t,
      await confirm(browser, `${address}/delete`),
      `${root}?notice=attribute_purge_requested`,
    );
    t.ok((await stored('grosse_t_shirt'))?.purgeRequestedAt);
    t.match((await browser.open(root)).body, 'Being deleted');
    for (const page of ['edit', 'archive', 'delete'])
      t.equal((await browser.open(`${address}/${page}`)).statusCode, 404, page);

    const identity = { key: 'grosse_t_shirt', label: 'T-shirt' };
    const recorded = await events();
    t.match(recorded, [
      { type: 'custom_attribute.archived', details: identity },
      { type: 'custom_attribute.archived', details: identity },
      {
        type: 'custom_attribute.created',
        details: { key: 'grosse_t_shirt', label: 'Größe (T-Shirt)', type: 'choice', choices: 'S; M; L' },
      },
      { type: 'custom_attribute.purge_requested', details: identity },
      { type: 'custom_attribute.restored', details: identity },
      {
        type: 'custom_attribute.updated',
        details: {
          ...{ key: 'grosse_t_shirt', label: 'Größe (T-Shirt) → T-shirt', choices: 'S; M; L → S; L' },
          ...{ description: 'For the shop → –', required: 'no → yes', sensitive: 'yes → no' },
        },
      },
    ]);
    t.equal(recorded.length, 6);
    t.ok(recorded.every(({ userId }) => userId === user.id));
    t.match((await browser.open('/people/settings/audit_log')).body, 'Deletion of an attribute requested');
  },
);

t.test('an invalid attribute is rejected with a message at each field, and nothing is stored', async (t) => {
  const { accountId, browser, keys, events } = await scene();
  await defineAttributes(api.database, accountId, [
    { key: 'taken', label: 'Cost center' },
    { key: 'hidden', label: 'Old one', archivedAt: new Date() },
  ]);
  const long = 'x'.repeat(101);
  const many = Array.from({ length: 51 }, (_, index) => `C${index}`).join('\n');
  const usedBy = (label: string) => ({ key: `Key is already used by the attribute ${label}.` });
  const cases: [Record<string, string>, Record<string, string | RegExp>][] = [
    [{ label: '' }, { label: 'Label must not be blank.', key: 'Key is required.' }],
    [{ label: '中文' }, { key: 'Key is required.' }],
    [{ label: long, key: 'fine' }, { label: /100 characters/ }],
    [{ label: 'cost CENTER', key: 'fine' }, { label: 'Label is already used by the attribute Cost center.' }],
    [{ label: 'old one', key: 'fine' }, { label: /Old one/ }],
    [{ label: 'job TITLE', key: 'fine' }, { label: /Job title/ }],
    [{ label: 'manager (employee number)', key: 'fine' }, { label: /Manager/ }],
    [{ label: 'A\u202Eb', key: 'fine' }, { label: /invisible/ }],
    [{ label: 'Fine', key: 'taken' }, usedBy('Cost center')],
    [{ label: 'Fine', key: 'hidden' }, usedBy('Old one')],
    [{ label: 'Fine', key: 'job_title' }, usedBy('Job title')],
    [{ label: 'Fine', key: 'updated_at' }, usedBy('Updated at')],
    [{ label: 'Fine', key: 'manager_employee_number' }, usedBy('Manager (employee number)')],
    [{ label: 'Fine', key: 'id' }, { key: 'Key is reserved.' }],
    [{ label: 'Fine', key: 'custom' }, { key: 'Key is reserved.' }],
    ...['Fine', '1a', 'a__b', 'a_', '_a', 'a-b', 'a.b', "a'b"].map(
      (key): [Record<string, string>, Record<string, RegExp>] => [
        { label: 'Fine', key },
        { key: /lower-case letters and digits/ },
      ],
    ),
    [{ label: 'Fine', key: 'x'.repeat(41) }, { key: /40 characters/ }],
    [{ label: 'Fine', type: 'person' }, { type_text: /must be one of text/ }],
    [{ label: 'Fine', description: 'x'.repeat(501) }, { description: /500 characters/ }],
    [{ label: 'Fine', type: 'choice' }, { choices: 'Choices must have 1 to 50 items.' }],
    [{ label: 'Fine', type: 'choices', choices: many }, { choices: /1 to 50/ }],
    [{ label: 'Fine', type: 'choice', choices: `A\n${long}` }, { choices: /^Choice 2 .*100 characters/ }],
    [{ label: 'Fine', type: 'choice', choices: 'A;B' }, { choices: 'Choice 1 must not contain semicolons.' }],
    [{ label: 'Fine', type: 'choice', choices: 'A\nB\na' }, { choices: 'Choice 3 must not be repeated.' }],
    [{ label: 'Fine', choices: 'A' }, { choices: 'Choices must be empty for this type.' }],
  ];
  for (const [fields, expected] of cases) {
    const response = await add(browser, fields);
    isPage(t, response, 400, JSON.stringify(fields));
    t.match(fieldErrors(response.body), expected, JSON.stringify(fields));
  }
  t.same(await keys(), ['hidden', 'taken']);
  t.same(await events(), []);
  const changed = await edit(browser, 'taken', { label: 'OLD ONE', choices: 'A' });
  isPage(t, changed, 400);
  t.match(fieldErrors(changed.body), { label: /Old one/ });
  t.same(await events(), []);
});

t.test('an account has at most 50 attributes, with those that are archived', async (t) => {
  const { accountId, browser, keys } = await scene();
  const archivedAt = new Date();
  await defineAttributes(
    api.database,
    accountId,
    Array.from({ length: 50 }, (_, index) => ({ key: `a${index}`, ...(index % 2 === 0 && { archivedAt }) })),
  );
  const response = await add(browser, { label: 'One more' });
  isPage(t, response, 409);
  t.match(fieldErrors(response.body), { label: /can have 50 attributes/ });
  t.equal((await keys()).length, 50);
});

t.test('settings that another user has changed are not overwritten', async (t) => {
  const { accountId, browser, stored } = await scene();
  await defineAttributes(api.database, accountId, [{ key: 'room', label: 'Room' }]);
  const path = `${root}/room/edit`;
  const page = await browser.open(path);
  await prisma.customAttribute.updateMany({
    where: { accountId },
    data: { label: 'Office', required: true },
  });
  const conflict = await browser.submitForm(page, path, { label: 'Place', description: 'Where' });
  isPage(t, conflict, 409);
  t.match(fieldErrors(conflict.body), { label: /another user changed this/ });
  t.match(await stored('room'), { label: 'Office', description: null });
  const merged = await browser.submitForm(page, path, { label: 'Room', description: 'Where' });
  expectRedirect(t, merged, `${root}?notice=attribute_updated`);
  t.match(await stored('room'), { label: 'Office', description: 'Where', required: true });
});

t.test('members have no access, and the attributes of other accounts do not exist', async (t) => {
  const other = await scene();
  await defineAttributes(api.database, other.accountId, [
    { key: 'theirs' },
    { key: 'archived', archivedAt: new Date() },
  ]);
  const before = await other.stored('theirs');
  const member = await scene('member');
  const admin = await scene('admin');
  await defineAttributes(api.database, member.accountId, [{ key: 'theirs' }]);
  const csrf = async (browser: Browser) =>
    /name="csrf_token" value="([^"]*)"/.exec((await browser.open('/people')).body)?.[1] ?? '';
  const pages = ['edit', 'archive', 'restore', 'delete'].map((page) => `${root}/theirs/${page}`);
  for (const [{ browser }, status] of [
    [member, 403],
    [admin, 404],
  ] as const) {
    const csrf_token = await csrf(browser);
    for (const path of pages) {
      const fields = { csrf_token, label: 'Mine now' };
      t.equal((await browser.submit(path, fields)).statusCode, status, `POST ${path}`);
      if (!path.endsWith('restore')) t.equal((await browser.open(path)).statusCode, status, `GET ${path}`);
    }
  }
  for (const path of [root, `${root}/new`]) t.equal((await member.browser.open(path)).statusCode, 403, path);
  const denied = await member.browser.submit(root, {
    ...{ csrf_token: await csrf(member.browser), label: 'Added', type: 'text' },
  });
  t.equal(denied.statusCode, 403);
  t.notMatch((await member.browser.open('/people')).body, 'Employee attributes');
  const own = await admin.browser.submit(`${root}/archived/delete`, {
    csrf_token: await csrf(admin.browser),
  });
  t.equal(own.statusCode, 404);
  t.same(await member.keys(), ['theirs']);
  t.same(await other.stored('theirs'), before);
  t.same(await other.events(), []);
});
