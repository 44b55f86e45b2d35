import { Sessions } from '../../src/platform/accounts/sessions.js';
import { hiddenFields } from '../support/browser/browser.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { createdId, createReport, reportsPath, shownErrors } from '../support/browser/report-pages.js';
import { openTestDatabase } from '../support/database/database.js';
import { enterableNames } from '../support/input/hostile-names.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { insertEmployees } from '../support/records/insert-employees.js';
import { columnKeys } from '../support/records/naive-report.js';
import { makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const database = await openTestDatabase(t);
const api = await buildTestApp(t, { database, environment: { MAX_REPORTS_PER_ACCOUNT: '3' } });

async function ownerAtWork() {
  const scene = await createScene(database);
  return { scene, browser: await signedInBrowser(api, scene.user) };
}

const storedReports = (accountId: string) =>
  database.prisma.report.findMany({ where: { accountId }, orderBy: { title: 'asc' } });

const eventsOf = (accountId: string) =>
  database.prisma.auditEvent.findMany({
    where: { accountId, type: { startsWith: 'report.' } },
    orderBy: [{ createdAt: 'asc' }, { type: 'asc' }],
  });

t.test('creates a list with columns, filters and an order, and records the user', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const response = await createReport(browser, {
    title: ' Engineers ',
    description: 'First line\r\nsecond line',
    column_2: 'last_name',
    column_7: 'email',
    filter_1_field: 'department',
    filter_1_operator: 'in',
    filter_1_value: 'Engineering\r\n\r\nResearch, Development',
    filter_4_field: 'hire_date',
    filter_4_operator: 'after',
    filter_4_value: '2020-01-31',
    sort_2: '-last_name',
    unknown: 'ignored',
    column_x: 'ignored',
  });
  const id = createdId(response);
  expectRedirect(t, response, `${reportsPath}/${id}?notice=report_created`);
  const [stored] = await storedReports(scene.accountId);
  t.match(stored, {
    id,
    title: 'Engineers',
    description: 'First line\nsecond line',
    columns: ['last_name', 'email'],
    sort: ['-last_name'],
    groupBy: [],
    createdByUserId: scene.user.id,
    createdByApplicationId: null,
  });
  t.same(stored?.filters, [
    { field: 'department', operator: 'in', value: ['Engineering', 'Research, Development'] },
    { field: 'hire_date', operator: 'after', value: '2020-01-31' },
  ]);
  const [event] = await eventsOf(scene.accountId);
  t.match(event, { type: 'report.created', userId: scene.user.id, applicationId: null });
  t.match(event?.details, { report: id, title: 'Engineers' });
});

t.test('creates a list of all columns when none is selected, and counts by group', async (t) => {
  const { scene, browser } = await ownerAtWork();
  createdId(await createReport(browser, {}));
  createdId(
    await createReport(browser, {
      title: 'B',
      kind: 'groups',
      group_1: 'hire_year',
      group_2: 'status',
      column_1: 'id',
    }),
  );
  const [all, grouped] = await storedReports(scene.accountId);
  t.same(all?.columns, columnKeys);
  t.match(grouped, { columns: [], groupBy: ['hire_year', 'status'] });
});

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

const numbered = (count: number, name: (position: number) => [string, string][]) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => name(index + 1)).flat());

const rejected: [string, Record<string, string>, RegExp[]][] = [
  ['an empty title', { title: ' ' }, [/^title: Title .*1 to 255 characters/]],
  ['a title that is too long', { title: 'x'.repeat(256) }, [/^title: Title .*1 to 255/]],
  ['a description that is too long', { description: 'x'.repeat(2001) }, [/^description: .*2000/]],
  ['an unknown kind', { kind: 'pie' }, [/^kind_list: Choose/]],
  ['an unknown column', { column_1: 'id', column_5: 'salary' }, [/^column_2: Column 2 must be one of: ID;/]],
  ['no group', { kind: 'groups' }, [/^group_1: Groups must have/]],
  [
    'three groups',
    { kind: 'groups', ...numbered(3, (n) => [[`group_${n}`, 'id']]) },
    [/^group_1: Groups must have .*2/],
  ],
  ['an unknown group', { kind: 'groups', group_2: 'salary' }, [/^group_1: Group 1 must be one of/]],
  ['six order keys', numbered(6, (n) => [[`sort_${n}`, 'id']]), [/^sort_1: Order must have/]],
  ['an unknown order key', { sort_1: '--id' }, [/^sort_1: Order key 1 must be one of/]],
  ['an order by count in a list', { sort_1: 'count' }, [/^sort_1: /]],
  [
    'an order by a column that is not a group',
    { kind: 'groups', group_1: 'status', sort_1: 'email' },
    [/^sort_1: Order key 1 must be count or one of the columns in the groups/],
  ],
  [
    'one column too many',
    numbered(columnKeys.length + 1, (n) => [[`column_${n}`, 'id']]),
    [new RegExp(`^column_1: Columns must have .*${columnKeys.length}`)],
  ],
  [
    '21 filters',
    numbered(21, (n) => [
      [`filter_${n}_field`, 'email'],
      [`filter_${n}_operator`, 'eq'],
      [`filter_${n}_value`, `value ${n}`],
    ]),
    [/^filter_1_field: Filters must have .*20/],
  ],
  [
    'a filter without an attribute',
    { filter_2_operator: 'eq', filter_2_value: 'x' },
    [/^filter_1_field: Filter 1: choose an attribute/],
  ],
  [
    'an unknown attribute of a filter',
    { filter_1_field: 'salary', filter_1_operator: 'eq', filter_1_value: 'x' },
    [/^filter_1_field: Filter 1: the attribute must be one of/],
  ],
  [
    'an unknown condition',
    { filter_1_field: 'email', filter_1_operator: 'like', filter_1_value: 'x' },
    [/^filter_1_operator: Filter 1: the condition must be one of: is; is not;/],
  ],
  [
    'a list without values',
    { filter_1_field: 'email', filter_1_operator: 'in', filter_1_value: '' },
    [/^filter_1_value: Filter 1: the value must have/],
  ],
  [
    'a list of 101 values',
    { filter_1_field: 'email', filter_1_operator: 'in', filter_1_value: 'x\n'.repeat(101) },
    [/^filter_1_value: Filter 1: the value must have .*100/],
  ],
  [
    'a value that is too long',
    { filter_1_field: 'email', filter_1_operator: 'eq', filter_1_value: 'x'.repeat(256) },
    [/^filter_1_value: .*255/],
  ],
  [
    'a date that does not exist',
    { filter_1_field: 'hire_date', filter_1_operator: 'before', filter_1_value: '2026-02-30' },
    [/^filter_1_value: Filter 1: the value must be an RFC 3339 date/],
  ],
  [
    'one wrong date in a list',
    { filter_1_field: 'hire_date', filter_1_operator: 'in', filter_1_value: '2026-02-03\n3.2.2026' },
    [/^filter_1_value: /],
  ],
  [
    'a comparison of text with a date',
    { filter_1_field: 'email', filter_1_operator: 'before', filter_1_value: '2026-02-03' },
    [/^filter_1_field: Filter 1: the attribute must be one of: Hire date; Termination date; Updated at/],
  ],
  [
    'a search in dates',
    { filter_1_field: 'hire_date', filter_1_operator: 'starts_with', filter_1_value: '2026' },
    [/^filter_1_operator: .*must not be starts with for Hire date/],
  ],
  ['several errors', { title: '', sort_1: 'x' }, [/^title: /, /^sort_1: /]],
];

for (const [label, fields, messages] of rejected) {
  t.test(`rejects ${label} and keeps the form`, async (t) => {
    const { scene, browser } = await ownerAtWork();
    const response = await createReport(browser, { description: 'is kept', ...fields });
    isPage(t, response, 400);
    const errors = shownErrors(response);
    t.equal(errors.length, messages.length, errors.join());
    for (const message of messages)
      t.ok(
        errors.some((error) => message.test(error)),
        errors.join(),
      );
    for (const [, field] of errors.join('\n').matchAll(/^(\w+): /gm)) {
      t.match(response.body, `id="${field}"`, 'the summary links to a field');
      t.match(response.body, `id="${field}-error"`, 'the field has the message');
    }
    if (fields.description === undefined) t.match(response.body, 'is kept');
    const typed = Object.values(fields).filter((value) => /^\w{3,40}$/.test(value) && value !== 'pie');
    for (const value of typed) t.match(response.body, value);
    t.same(await storedReports(scene.accountId), []);
    t.same(await eventsOf(scene.accountId), []);
  });
}

t.test('rejects a form with more than 100 fields, one that is too large, and NUL', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const many = await createReport(
    browser,
    numbered(101, (n) => [[`column_${n}`, 'id']]),
  );
  isPage(t, many, 400);
  isPage(t, await createReport(browser, { description: 'x'.repeat(70_000) }), 413);
  isPage(t, await createReport(browser, { title: 'a\u0000b' }), 400);
  t.same(await storedReports(scene.accountId), []);
});

t.test('a form with 20 filters and every other field is accepted', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const fields = {
    ...numbered(20, (n) => [
      [`filter_${n}_field`, 'email'],
      [`filter_${n}_operator`, 'not_eq'],
      [`filter_${n}_value`, `value ${n}`],
    ]),
    ...numbered(columnKeys.length, (n) => [[`column_${n}`, 'id']]),
    ...numbered(5, (n) => [[`sort_${n}`, 'id']]),
    ...numbered(2, (n) => [[`group_${n}`, 'id']]),
  };
  createdId(await createReport(browser, { ...fields, description: 'x' }));
  const [stored] = await storedReports(scene.accountId);
  t.same(stored?.columns, ['id'], 'the first occurrence of a repeated column counts');
  t.equal((stored?.filters as unknown[] | undefined)?.length, 20);
});

t.test('buttons add and remove a filter and keep all other fields', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const filled = {
    title: 'Kept "title"',
    filter_1_field: 'email',
    filter_1_operator: 'contains',
    filter_1_value: 'first',
    filter_2_field: 'location',
    filter_2_operator: 'eq',
    filter_2_value: 'second',
    column_1: 'last_name',
  };
  const added = await createReport(browser, { ...filled, do: 'add_filter' });
  isPage(t, added);
  t.match(added.body, 'value="Kept &quot;title&quot;"');
  t.match(added.body, 'name="filter_3_field"');
  t.notMatch(added.body, 'name="filter_4_field"');
  const removed = await createReport(browser, { ...filled, do: 'remove_filter_1' });
  isPage(t, removed);
  t.notMatch(removed.body, '>first</textarea>');
  t.match(removed.body, '>second</textarea>');
  t.match(removed.body, '<option value="last_name" selected>');
  t.notMatch(removed.body, 'name="filter_2_field"');
  isPage(t, await createReport(browser, { ...filled, do: 'remove_filter_99' }));
  t.same(await storedReports(scene.accountId), []);
});

t.test('a preview shows the first rows and saves nothing', async (t) => {
  const { scene, browser } = await ownerAtWork();
  await insertEmployees(database.prisma, scene.accountId, makeEmployees(12));
  const list = await createReport(browser, { do: 'preview', column_1: 'email', column_2: 'email' });
  isPage(t, list);
  t.match(list.body, 'The first 10 of 12 rows. The report is not saved yet.');
  t.match(list.body, 'person3.');
  const groups = await createReport(browser, { do: 'preview', kind: 'groups', group_1: 'status' });
  t.match(groups.body, '<title id="chart-title">');
  const empty = await createReport(browser, {
    do: 'preview',
    filter_1_field: 'email',
    filter_1_operator: 'eq',
    filter_1_value: 'unknown',
  });
  t.match(empty.body, 'The report has no rows.');
  isPage(t, await createReport(browser, { do: 'preview', title: '' }), 400);
  t.same(await storedReports(scene.accountId), []);
});

t.test('a form that is submitted twice creates one report', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const page = await browser.open(`${reportsPath}/new`);
  const form = { ...hiddenFields(page.body), kind: 'list', title: 'Once' };
  const responses = await Promise.all([1, 2, 3].map(() => browser.submit(reportsPath, form)));
  const [stored, ...others] = await storedReports(scene.accountId);
  t.same(others, []);
  t.same(
    responses.map(({ headers }) => String(headers.location)).sort(),
    ['report_created', 'report_exists', 'report_exists'].map(
      (notice) => `${reportsPath}/${stored?.id}?notice=${notice}`,
    ),
  );
});

t.test('rejects a report above the limit of the account and keeps the form', async (t) => {
  const { scene, browser } = await ownerAtWork();
  for (const title of ['One', 'Two', 'Three']) createdId(await createReport(browser, { title }));
  const response = await createReport(browser, { title: 'Four' });
  isPage(t, response, 409);
  t.match(shownErrors(response), [/limit of 3 saved reports. Delete a report/]);
  t.match(response.body, 'value="Four"');
  t.equal((await storedReports(scene.accountId)).length, 3);
  t.equal((await eventsOf(scene.accountId)).length, 3);
});

t.test('edits a report in the form, and turns a grouped one into a list', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { kind: 'groups', group_1: 'status', sort_1: '-count' }));
  const address = `${reportsPath}/${id}/edit`;
  const page = await browser.open(address);
  isPage(t, page);
  t.match(page.body, '<option value="status" selected>');
  t.match(page.body, '<option value="-count" selected>');
  const invalid = await browser.submitForm(page, address, { title: '', kind: 'list' });
  isPage(t, invalid, 400);
  const saved = await browser.submitForm(page, address, { title: 'List', kind: 'list', column_1: 'id' });
  expectRedirect(t, saved, `${reportsPath}/${id}?notice=report_updated`);
  t.match(await storedReports(scene.accountId), [
    { title: 'List', columns: ['id'], groupBy: [], sort: [], version: 2, description: null },
  ]);
  t.same(
    (await eventsOf(scene.accountId)).map(({ type, userId }) => [type, userId]),
    [
      ['report.created', scene.user.id],
      ['report.updated', scene.user.id],
    ],
  );
});

t.test('one of two concurrent edits is saved, and the other form shows the saved values', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { title: 'First' }));
  const address = `${reportsPath}/${id}/edit`;
  const page = await browser.open(address);
  const edits = ['Mine', 'Theirs'].map((title) => browser.submitForm(page, address, { title, kind: 'list' }));
  const responses = await Promise.all(edits);
  const conflict = responses.find(({ statusCode }) => statusCode === 409);
  t.same(responses.map(({ statusCode }) => statusCode).sort(), [303, 409]);
  if (conflict === undefined) return;
  isPage(t, conflict, 409);
  const [stored] = await storedReports(scene.accountId);
  t.match(conflict.body, /Saved values/);
  t.match(shownErrors(conflict), [/^title: This report was changed while/]);
  const lost = stored?.title === 'Mine' ? 'Theirs' : 'Mine';
  t.match(conflict.body, `value="${lost}"`);
  for (const version of ['', '0', 'x']) {
    const old = await browser.submitForm(page, address, { title: 'Old', kind: 'list', version });
    isPage(t, old, 409);
  }
  const again = await browser.open(address);
  expectRedirect(
    t,
    await browser.submitForm(again, address, { title: lost, kind: 'list' }),
    /report_updated/,
  );
  t.match(await storedReports(scene.accountId), [{ title: lost, version: 3 }]);
});

t.test('the form of an expired session is shown after sign-in', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const page = await browser.open(`${reportsPath}/new`);
  const fields = hiddenFields(page.body);
  await new Sessions(database, api.clock).revoke(browser.cookies.get('session') ?? '');
  const typed = { title: 'Typed', kind: 'groups', group_1: 'location' };
  const expired = await browser.submit(reportsPath, { ...fields, ...typed });
  t.equal(expired.statusCode, 401);
  const { email, password } = scene.user;
  const signedIn = await browser.submitForm(expired, '/sign_in', { email, password });
  const restored = await browser.submitForm(signedIn, reportsPath, {});
  isPage(t, restored);
  t.match(restored.body, 'value="Typed"');
  t.match(restored.body, '<option value="location" selected>');
  t.same(await storedReports(scene.accountId), []);
});

t.test('keeps hostile titles and values', async (t) => {
  const limitless = await buildTestApp(t, { database });
  const scene = await createScene(database);
  const browser = await signedInBrowser(limitless, scene.user);
  const page = await browser.open(`${reportsPath}/new`);
  const { csrf_token = '' } = hiddenFields(page.body);
  for (const name of enterableNames) {
    const response = await browser.submit(reportsPath, {
      csrf_token,
      kind: 'list',
      title: name,
      filter_1_field: 'department',
      filter_1_operator: 'eq',
      filter_1_value: name,
    });
    t.equal(response.statusCode, 303, name);
  }
  const stored = await storedReports(scene.accountId);
  const kept = enterableNames.map((name) => name.trim().normalize('NFC'));
  t.same(stored.map(({ title }) => title).sort(), [...kept].sort());
  t.same(stored.map(({ filters }) => (filters as { value: string }[])[0]?.value).sort(), [...kept].sort());
  isPage(t, await browser.open(reportsPath));
  for (const { id, title } of stored.slice(0, 40)) {
    isPage(t, await browser.open(`${reportsPath}/${id}`));
    // An attribute contains the title, in double quotes.
    const { statusCode, body } = await browser.open(`${reportsPath}/${id}/edit`);
    t.equal(statusCode, 200);
    t.match(body, `name="title" value="${escaped(title)}"`);
    t.notMatch(body, /<script|<img|<h1>x|<!--/);
  }
});

t.test('members get 403 and no navigation entry, for each page and form', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { title: 'Secret title' }));
  t.match((await browser.open('/people')).body, `href="${reportsPath}"`);
  const member = await signedInBrowser(api, await createUser(database, scene.accountId, { role: 'member' }));
  const home = await member.open('/people');
  t.notMatch(home.body, `href="${reportsPath}"`);
  const token = hiddenFields(home.body);
  for (const path of ['', '/new', `/${id}`, `/${id}/edit`, `/${id}/delete`, `/${id}/results.csv`]) {
    const page = await member.open(`${reportsPath}${path}`);
    isPage(t, page, 403, path);
    t.notMatch(page.body, 'Secret title');
  }
  for (const path of ['', `/${id}/edit`, `/${id}/delete`]) {
    isPage(t, await member.submit(`${reportsPath}${path}`, { ...token, title: 'x', kind: 'list' }), 403);
  }
  t.match(await storedReports(scene.accountId), [{ title: 'Secret title', version: 1 }]);
  const admin = await signedInBrowser(api, await createUser(database, scene.accountId, { role: 'admin' }));
  isPage(t, await admin.open(`${reportsPath}/${id}`));
});

t.test('rejects forms without the CSRF token', async (t) => {
  const { scene, browser } = await ownerAtWork();
  const id = createdId(await createReport(browser, { title: 'Kept' }));
  for (const path of ['', `/${id}/edit`, `/${id}/delete`]) {
    for (const csrf_token of ['', 'x', `${scene.user.id}.x`]) {
      const response = await browser.submit(`${reportsPath}${path}`, {
        title: 'x',
        kind: 'list',
        version: '1',
        csrf_token,
      });
      isPage(t, response, 403, path);
    }
  }
  t.match(await storedReports(scene.accountId), [{ title: 'Kept', version: 1 }]);
});

t.test('ids of other accounts, malformed and unknown ids get the same page', async (t) => {
  const { browser: owner } = await ownerAtWork();
  const foreign = createdId(await createReport(owner, { title: 'Foreign' }));
  const { browser } = await ownerAtWork();
  const token = hiddenFields((await browser.open(`${reportsPath}/new`)).body);
  const withoutId = (body: string) =>
    body.replaceAll(/request <code>[^<]*/g, '').replaceAll(/csrf_token" value="[^"]*/g, '');
  for (const path of ['', '/edit', '/delete', '/results.csv']) {
    const pages = await Promise.all(
      [foreign, 'unknown', 'A%2Fb', 'x'.repeat(65), '%E2%82%AC'].map((id) =>
        browser.open(`${reportsPath}/${id}${path}`),
      ),
    );
    for (const page of pages) {
      isPage(t, page, 404, path);
      t.equal(withoutId(page.body), withoutId(pages[0]?.body ?? ''));
    }
  }
  for (const path of ['/edit', '/delete']) {
    isPage(t, await browser.submit(`${reportsPath}/${foreign}${path}`, { ...token, kind: 'list' }), 404);
  }
  isPage(t, await owner.open(`${reportsPath}/${foreign}`));
});
