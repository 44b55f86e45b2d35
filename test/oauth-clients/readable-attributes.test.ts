import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { migrationsDirectory } from '../../src/platform/database/migrations.js';
import {
  applicationsPath,
  createThroughPage,
  expectRedirect,
  formOn,
  isPage,
} from '../support/browser/pages.js';
import { asOwner } from '../support/database/owner.js';
import { createScene, grantTokens, signedInBrowser, tokenAccepted } from '../support/oauth/users.js';
import { createApplication, createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;
const { prisma } = database;

const all = ['job_title', 'location', 'hire_date', 'termination_date', 'manager_id'];

/** The attributes on a form, each with whether it is selected. */
const choicesOn = (html: string) =>
  [...html.matchAll(/<input type="checkbox" name="attributes" value="([^"]*)"( checked)?/g)].map(
    ([, name, checked]) => [name, checked !== undefined],
  );
const detailOf = (details: unknown) => {
  const { name, readable_attributes } = details as { name: string; readable_attributes: string[] };
  return [name, readable_attributes] as const;
};
const eventsOf = (accountId: string, type: string) =>
  prisma.auditEvent.findMany({ where: { accountId, type }, orderBy: { createdAt: 'asc' } });

async function ownerAtWork(options: Parameters<typeof createScene>[1] = {}) {
  const fields = { name: 'Bridge', scopes: ['reports:read', 'user:read'] };
  const scene = await createScene(database, { ...fields, ...options });
  const { id } = scene.application;
  const address = `${applicationsPath}/${id}`;
  return {
    scene,
    address,
    browser: await signedInBrowser(api, scene.user),
    stored: () => prisma.application.findFirstOrThrow({ where: { id } }),
    fields: { ...fields, redirect_uris: [scene.redirectUri] },
  };
}

t.test('a new application may read no attribute that is not selected', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const page = await browser.open(`${applicationsPath}/new`);
  t.same(
    choicesOn(page.body),
    all.map((name) => [name, false]),
    'at first nothing is selected',
  );
  t.match(page.body, 'Attributes of employees that it may read</legend>');
  t.match(page.body, /<fieldset id="attributes" [^>]*aria-describedby="attributes-hint"/);
  for (const [name, attributes, stored] of [
    ['None', [], []],
    ['Some', ['manager_id', 'job_title', 'manager_id'], ['job_title', 'manager_id']],
    ['All', all, all],
  ] as const) {
    isPage(t, await createThroughPage(browser, { name, attributes }), 200, name);
    const where = { accountId: scene.accountId, name };
    const created = await prisma.application.findFirstOrThrow({ where });
    t.same(created.readableAttributes, stored, 'each once, in the order of the contract');
  }
  const created = await eventsOf(scene.accountId, 'application.created');
  t.same(Object.fromEntries(created.map(({ details }) => detailOf(details))), {
    None: [],
    Some: ['job_title', 'manager_id'],
    All: all,
  });
  t.match((await browser.open('/people/settings/audit_log')).body, /readable attributes<\/dt><dd>none</);
});

t.test('an attribute that is not in the list is an error, and the selection is kept', async (t) => {
  const { scene, browser, address, fields } = await ownerAtWork();
  const before = await prisma.application.count({ where: { accountId: scene.accountId } });
  for (const unknown of ['salary', 'email', '__proto__']) {
    const attributes = ['hire_date', unknown];
    const edit = await browser.open(`${address}/edit`);
    for (const page of [
      await createThroughPage(browser, { attributes }),
      await browser.submit(`${address}/edit`, formOn(edit, { ...fields, attributes })),
    ]) {
      isPage(t, page, 400, unknown);
      t.match(page.body, '<a href="#attributes">Choose from the attributes in the list.</a>');
      t.match(page.body, /<fieldset id="attributes"[^>]* aria-invalid/);
      t.same(
        choicesOn(page.body).filter(([, isChosen]) => isChosen),
        [['hire_date', true]],
      );
    }
  }
  t.equal(await prisma.application.count({ where: { accountId: scene.accountId } }), before);
});

t.test('the attributes of an application are shown and changed, and its tokens stay valid', async (t) => {
  const { scene, browser, address, stored, fields } = await ownerAtWork({
    readableAttributes: ['job_title', 'location'],
  });
  const { accessToken } = await grantTokens(api, scene);
  const overview = await browser.open(address);
  t.match(
    overview.body,
    /Readable attributes<\/dt>.*<code>job_title<\/code> Job title.*<code>location<\/code> Location/s,
  );
  t.notMatch(overview.body, '<code>hire_date</code>');
  const edit = await browser.open(`${address}/edit`);
  t.same(
    choicesOn(edit.body),
    all.map((name) => [name, name === 'job_title' || name === 'location']),
  );

  const attributes = ['location', 'hire_date'];
  const saved = await browser.submit(`${address}/edit`, formOn(edit, { ...fields, attributes }));
  expectRedirect(t, saved, `${address}?notice=application_updated`);
  t.same((await stored()).readableAttributes, attributes);
  t.match(await eventsOf(scene.accountId, 'application.updated'), [
    {
      userId: scene.user.id,
      details: { readable_attributes_added: ['hire_date'], readable_attributes_removed: ['job_title'] },
    },
  ]);
  await tokenAccepted(t, api, accessToken);

  const without = await browser.submit(
    `${address}/edit`,
    formOn(await browser.open(`${address}/edit`), { ...fields, attributes: [] }),
  );
  expectRedirect(t, without, /application_updated$/, 'a form without the field means none');
  t.same((await stored()).readableAttributes, []);
  t.match((await browser.open(address)).body, /Readable attributes<\/dt><dd>None</);
});

t.test('a form asks about attributes only if two administrators have chosen differently', async (t) => {
  const { browser, address, stored, fields } = await ownerAtWork({ readableAttributes: [] });
  const page = await browser.open(`${address}/edit`);
  const submit = (changes: Parameters<typeof formOn>[1], form = page) =>
    browser.submit(`${address}/edit`, formOn(form, { ...fields, attributes: [], ...changes }));
  expectRedirect(t, await submit({ attributes: ['location'] }), /application_updated$/);
  expectRedirect(t, await submit({ name: 'Renamed' }), /application_updated$/);
  t.match(
    await stored(),
    { name: 'Renamed', readableAttributes: ['location'] },
    'a form in which they are unchanged keeps the choice of the other administrator',
  );

  const conflict = await submit({ name: 'Renamed', attributes: ['hire_date'] });
  isPage(t, conflict, 409);
  t.match(conflict.body, /Readable attributes: another user changed this while/);
  const shown = [...conflict.body.matchAll(/data-label="(?:Saved|Yours)"><div><bdi>(.*?)<\/bdi>/g)];
  t.same(
    shown.map(([, text]) => text),
    ['location', 'hire_date'],
  );
  t.same((await stored()).readableAttributes, ['location']);
  const again = await submit({ name: 'Renamed', attributes: ['location', 'hire_date'] }, conflict);
  expectRedirect(t, again, /application_updated$/);
  t.same((await stored()).readableAttributes, ['location', 'hire_date']);
});

t.test(
  'the migration keeps all attributes for applications that exist, and gives new ones none',
  async (t) => {
    // A copy of the table, because a database whose schema a test has changed is not used again.
    await asOwner(database, 'CREATE SCHEMA earlier');
    await asOwner(database, 'CREATE TABLE earlier.applications (LIKE applications INCLUDING DEFAULTS)');
    t.teardown(() => asOwner(database, 'DROP SCHEMA earlier CASCADE'));
    const { accountId } = await createTenant(database);
    const { id } = await createApplication(database, accountId, { readableAttributes: [] });
    await asOwner(database, `INSERT INTO earlier.applications SELECT * FROM applications WHERE id = '${id}'`);
    const file = path.join(migrationsDirectory, '20261129100000_attribute_access/migration.sql');
    const statements = (await readFile(file, 'utf8')).match(/^ALTER TABLE applications [^;]*;/gm) ?? [];
    t.equal(statements.length, 2);
    await asOwner(database, 'ALTER TABLE earlier.applications DROP COLUMN readable_attributes');
    for (const statement of statements)
      await asOwner(
        database,
        statement.replace('ALTER TABLE applications', 'ALTER TABLE earlier.applications'),
      );
    const readable = async (id: string) => {
      const [row] = await asOwner<{ attributes: string[] }>(
        database,
        `SELECT readable_attributes AS attributes FROM earlier.applications WHERE id = '${id}'`,
      );
      return row?.attributes;
    };
    t.same(await readable(id), all);
    await asOwner(
      database,
      `INSERT INTO earlier.applications (id, account_id, client_id, name, client_type)
       VALUES ('later', '${accountId}', 'later', 'Later', 'public')`,
    );
    t.same(await readable('later'), []);
  },
);
