import { hiddenFields } from '../support/browser/browser.js';
import {
  check,
  factOn,
  importPath,
  runImport,
  startUpload,
  submitColumns,
  uploadFile,
} from '../support/browser/import-pages.js';
import { expectRedirect, isPage } from '../support/browser/pages.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader, makeRecords, toCsv } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

async function visit(role: 'owner' | 'admin' | 'member' = 'owner') {
  const scene = await createScene(database, { role });
  return { ...scene, browser: await signedInBrowser(api, scene.user) };
}

/** Rows that are stored for an account. */
async function stored(accountId: string) {
  const where = { accountId };
  return {
    imports: await database.prisma.employeeImport.count({ where }),
    chunks: await database.prisma.employeeImportChunk.count({ where }),
  };
}

const nothing = { imports: 0, chunks: 0 };
const row = toCsv(makeRecords(1)).split('\r\n')[1] ?? '';

t.test('rejects files that cannot be imported, with the reason, and stores none', async (t) => {
  const { browser, accountId } = await visit();
  const columns = Array.from({ length: 81 }, (_, index) => `c${index}`);
  for (const [content, expected] of [
    ['', /the file is empty/],
    ['\n\n  \n', /the file is empty/],
    [`${csvHeader}\n`, /no records after the header row/],
    [`"${csvHeader}\n${row}\n`, /line 1: a quote is not closed/],
    [`a"b,c\n${row}\n`, /line 1: a quote is/],
    [`${csvHeader}\0\n${row}\n`, /must be text without NUL/],
    [
      Buffer.concat([
        Buffer.from('Pr\u00E9nom,\u00E9\u00E9,'),
        Buffer.from(`\u00E9,${row}\n${row}`, 'latin1'),
      ]),
      /names of the columns have damaged characters/,
    ],
    [`${columns.join(',')}\n${columns.join(',')}\n`, /81 columns; at most 80/],
    ['x'.repeat(300_000), /first line is too long/],
    ['{"a"\n{\n', /no line of the start of the file is a JSON object/],
    [
      `\n{"a":${'['.repeat(30_000)}${']'.repeat(30_000)}}\n`,
      /line 2: the line must be a JSON object with at most 32 levels/,
    ],
  ] as const) {
    const page = await uploadFile(browser, content, { name: 'staff' });
    isPage(t, page, 400, String(expected));
    t.match(page.body, expected);
    t.match(page.body, /<title>Error: Import employees/);
  }
  t.same(await stored(accountId), nothing);
});

t.test('rejects a form without a file', async (t) => {
  const { browser, accountId } = await visit();
  const fields = hiddenFields((await browser.open(importPath)).body);
  for (const page of [
    await browser.upload(importPath, fields),
    await browser.upload(importPath, fields, { name: '', content: '' }),
  ]) {
    isPage(t, page, 400);
    t.match(page.body, /Select a file/);
  }
  t.same(await stored(accountId), nothing);
});

t.test('stores nothing without the CSRF token, or with it after the file', async (t) => {
  const { browser, accountId } = await visit();
  const other = await visit();
  const foreign = hiddenFields((await other.browser.open(importPath)).body);
  const file = { name: 'staff.csv', content: toCsv(makeRecords(3)) };
  for (const fields of [{}, { csrf_token: 'x' }, foreign]) {
    const page = await browser.upload(importPath, fields, file);
    t.equal(page.statusCode, 403);
    t.match(page.body, /This form has expired/);
  }
  t.equal(
    (await browser.submit(importPath, hiddenFields((await browser.open(importPath)).body))).statusCode,
    400,
  );
  t.same(await stored(accountId), nothing);
});

t.test('members see neither the button nor the pages; visitors are redirected to sign in', async (t) => {
  const { browser, accountId, user } = await visit();
  const address = await startUpload(browser, toCsv(makeRecords(3)));
  t.match((await browser.open('/people')).body, /href="\/people\/employees\/import"/);
  const member = await signedInBrowser(api, await createUser(database, accountId, { role: 'member' }));
  t.notMatch((await member.open('/people')).body, /employees\/import/);
  for (const path of [importPath, address, `${address}/columns`, `${address}/rejected.csv`]) {
    t.equal((await member.open(path)).statusCode, 403, path);
  }
  const token = hiddenFields((await member.open('/people')).body);
  t.equal((await member.upload(importPath, token, { name: 'a', content: 'b' })).statusCode, 403);
  for (const step of ['columns', 'start', 'cancel']) {
    t.equal((await member.submit(`${address}/${step}`, token)).statusCode, 403, step);
  }
  await database.prisma.session.deleteMany({ where: { userId: user.id } });
  expectRedirect(
    t,
    await browser.upload(importPath, {}, { name: 'a', content: 'b' }),
    /^\/sign_in\?return_to=.*import/,
  );
  t.same(await stored(accountId), { imports: 1, chunks: 1 });
});

t.test('the import of another account is unknown', async (t) => {
  const { browser } = await visit();
  const address = await startUpload(browser, toCsv(makeRecords(3)));
  const other = await visit();
  const token = hiddenFields((await other.browser.open(importPath)).body);
  for (const path of ['', '/columns', 'x', '/start', '/rejected.csv'].map((end) => `${address}${end}`)) {
    t.equal((await other.browser.open(path)).statusCode, 404, path);
  }
  for (const step of ['columns', 'start', 'cancel']) {
    t.equal((await other.browser.submit(`${address}/${step}`, token)).statusCode, 404, step);
  }
  t.notMatch((await other.browser.open(importPath)).body, /staff\.csv/);
  t.match((await browser.open(address)).body, /Assign columns/);
});

t.test(
  'rejects lines with NUL, invalid UTF-8, an unclosed quote or too many fields, and imports the others',
  async (t) => {
    const { browser } = await visit();
    // The lines after them are not in the first chunk, which is read at upload.
    const good = makeRecords(30).map((record) => ({ ...record, department: `IT${' '.repeat(9_000)}` }));
    const lines = [
      ...toCsv(good, '\n').trimEnd().split('\n'),
      'X1,a\0b,L,a@b.example,S,D',
      'X2,F,L,a@b.example,S,D,more',
      'X3,F,"L,a@b.example,S,D',
      'X4,Zoë,Noël,a@b.example,S,D',
    ];
    const bytes = Buffer.concat([
      Buffer.from(lines.join('\n')),
      Buffer.from('\nX5,\xE9,L,a@b.example,S,D\n', 'latin1'),
    ]);
    const address = await startUpload(browser, bytes);
    const checked = await check(api, browser, address);
    t.equal(factOn(checked, 'Rejected'), '4', checked.body);
    const done = await runImport(api, browser, address);
    t.equal(factOn(done, 'Created'), '31');
    t.match(done.body, /Row 32.*NUL.*has 7 fields.*a quote is not closed.*valid UTF-8/s);
  },
);

t.test('an account has five files, and fifty imports in 24 hours', async (t) => {
  const { browser, accountId } = await visit();
  const text = toCsv(makeRecords(2));
  const uploads = await Promise.all(Array.from({ length: 6 }, () => uploadFile(browser, text)));
  t.same(uploads.map(({ statusCode }) => statusCode).sort(), [303, 303, 303, 303, 303, 429]);
  t.same(await stored(accountId), { imports: 5, chunks: 5 });
  t.match(uploads.find(({ statusCode }) => statusCode === 429)?.body, /can have 5 files at a time/);
  await database.prisma.employeeImport.updateMany({ where: { accountId }, data: { state: 'cancelled' } });
  t.equal((await uploadFile(browser, text)).statusCode, 303, 'finished imports do not count');
  const rows = await database.prisma.employeeImport.findMany({
    where: { accountId, state: 'cancelled' },
    omit: { survey: true, fixedValues: true, statusValues: true, findings: true },
  });
  await database.prisma.employeeImport.createMany({
    data: Array.from({ length: 44 }, (_, index) => ({
      ...rows[0],
      id: `x${index}`,
    })) as typeof rows,
  });
  const page = await uploadFile(browser, text);
  isPage(t, page, 429);
  t.match(page.body, /can have 50 imports in 24 hours/);
  const other = await visit();
  t.equal((await uploadFile(other.browser, text)).statusCode, 303, 'other accounts are not affected');
});

t.test('an import is unknown after 24 hours', async (t) => {
  const { browser, user } = await visit();
  const address = await startUpload(browser, toCsv(makeRecords(2)));
  api.clock.advanceSeconds(86_399);
  const later = await signedInBrowser(api, user);
  t.equal((await later.open(address)).statusCode, 200);
  const page = await later.open(`${address}/columns`);
  api.clock.advanceSeconds(2);
  t.equal((await later.open(address)).statusCode, 404);
  t.equal((await later.submit(`${address}/columns`, hiddenFields(page.body))).statusCode, 404);
  t.notMatch((await later.open(importPath)).body, /staff\.csv/);
});

t.test('the form of an expired session is shown after sign-in', async (t) => {
  const { browser, user } = await visit();
  const address = await startUpload(browser, toCsv(makeRecords(2)));
  await database.prisma.session.deleteMany({ where: { userId: user.id } });
  const page = await browser.submit(`${address}/columns`, { column_1: 'last_name' });
  expectRedirect(t, page, /^\/sign_in\?return_to=/);
  t.equal((await submitColumns(await signedInBrowser(api, user), address)).statusCode, 303);
});
