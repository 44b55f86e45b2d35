import {
  check,
  chosenOn,
  factOn,
  importPath,
  press,
  runImport,
  startUpload,
  stateOn,
  submitColumns,
} from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { eventsOf } from '../support/browser/user-pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { makeRecords, storedRecords, toCsv, toJsonLines } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 50 });
const { database } = api;

/** A browser of a user of a new account. */
async function visit(role: 'owner' | 'admin' = 'owner') {
  const scene = await createScene(database, { role });
  return { ...scene, browser: await signedInBrowser(api, scene.user) };
}

/** The rows of the file of an import. */
const chunksOf = (accountId: string) => database.prisma.employeeImportChunk.count({ where: { accountId } });

t.test('imports a CSV file: columns, check, import, and one audit event of the user', async (t) => {
  const { browser, accountId, user } = await visit('admin');
  const records = makeRecords(120);
  const address = await startUpload(browser, toCsv(records));
  const columns = await browser.open(address);
  isPage(t, columns);
  t.match(columns.body, /CSV with 6 columns, separated by commas/);
  t.match(columns.body, /First rows/);
  t.equal([...columns.body.matchAll(/E000000\d</g)].length, 11, 'ten rows and the example');
  t.same(Object.values(chosenOn(columns)), [
    'employee_number',
    'first_name',
    'last_name',
    'email',
    'status',
    'department',
  ]);
  const checked = await check(api, browser, address);
  isPage(t, checked);
  t.equal(stateOn(checked), 'Checked, not imported');
  t.equal(factOn(checked, 'To be created'), '120');
  t.equal(factOn(checked, 'Rejected'), '0');
  t.same(await storedRecords(database, accountId), [], 'the check changes nothing');
  t.same(await eventsOf(database, accountId), []);
  t.match(checked.body, /Import 120 rows/);
  const done = await runImport(api, browser, address);
  isPage(t, done);
  t.equal(stateOn(done), 'Imported');
  t.equal(factOn(done, 'Created'), '120');
  t.equal(factOn(done, 'Rows read'), '120');
  t.notOk(done.headers.refresh, 'a page that is complete does not refresh');
  t.same(await storedRecords(database, accountId), records);
  t.equal(await chunksOf(accountId), 0, 'the file is deleted');
  t.match(await eventsOf(database, accountId), [
    {
      type: 'employees.imported',
      userId: user.id,
      address: '127.0.0.1',
      details: { file: 'staff.csv', created: '120', updated: '0', rejected: '0', finished: 'yes' },
    },
  ]);
  t.match((await browser.open(importPath)).body, /staff\.csv.*Imported/s);
});

t.test(
  'imports JSON Lines with other names of members, and rejects lines that are nested too deeply',
  async (t) => {
    const { browser, accountId } = await visit();
    const records = makeRecords(2);
    const text = toJsonLines(records)
      .replaceAll('"first_name"', '"Given name"')
      .replaceAll('"status"', '"x"');
    const [first = '', second = ''] = text.split('\n');
    const nested = (levels: number) => `{"a":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    const lines = [nested(40), first, nested(30_000), second];
    const address = await startUpload(browser, lines.join('\n'), { name: 'staff.jsonl' });
    const page = await browser.open(address);
    t.match(page.body, /JSON with 6 columns, one object on each line/);
    t.match(chosenOn(page), { column_1: 'first_name', column_4: '' });
    const checked = await check(api, browser, address, { column_4: 'status' });
    t.equal(factOn(checked, 'Rejected'), '2');
    for (const line of [1, 3])
      t.match(
        checked.body,
        new RegExp(`Row ${line}[^/]*</div>.*must be a JSON object with at most 32 levels`, 's'),
      );
    t.equal(factOn(await runImport(api, browser, address), 'Created'), '2');
    t.same(await storedRecords(database, accountId), records);
  },
);

t.test('lists errors by line, a hundred on a page, and imports the other lines', async (t) => {
  const { browser, accountId } = await visit();
  const lines = toCsv(makeRecords(210), '\n').split('\n');
  const bad = lines.map((line, index) => (index % 2 === 1 && line !== '' ? line.replace('@', '') : line));
  const address = await startUpload(browser, bad.join('\n'));
  const checked = await check(api, browser, address);
  t.equal(factOn(checked, 'Rejected'), '105');
  t.equal(factOn(checked, 'To be created'), '105');
  const shown = (page: { body: string }) =>
    [...page.body.matchAll(/<div>Row (\d+)(?:, <bdi>[^<]*<\/bdi>)?<\/div>/g)].map(([, n]) => Number(n));
  t.same(shown(checked).slice(0, 2), [2, 4]);
  t.equal(shown(checked).length, 100);
  const next = await browser.open(`${address}?after=200`);
  t.same(shown(next)[0], 202);
  t.equal(shown(next).length, 5);
  t.match(checked.body, /\?after=200/);
  const done = await runImport(api, browser, address);
  t.equal(factOn(done, 'Created'), '105');
  t.equal(shown(done).length, 100);
  t.equal((await storedRecords(database, accountId)).length, 105);
});

t.test('rejects an assignment of columns with a missing, repeated or unknown attribute', async (t) => {
  const { browser } = await visit();
  const address = await startUpload(browser, toCsv(makeRecords(3)));
  for (const [changes, message] of [
    [{ column_5: '' }, /Missing: Department/],
    [{ column_1: '', column_2: '' }, /Missing: First name or Last name/],
    [{ column_1: 'last_name' }, /Two columns are assigned to Last name/],
    [{ column_1: 'updated_at' }, /Choose an attribute from the list/],
    [{ column_1: '__proto__' }, /Choose an attribute from the list/],
  ] as const) {
    const page = await submitColumns(browser, address, changes);
    isPage(t, page, 400);
    t.match(page.body, message);
    t.match(page.body, /There is a problem/);
  }
  t.equal((await submitColumns(browser, address, { column_1: 'a\0b' })).statusCode, 400);
  t.same(Object.values(chosenOn(await browser.open(address)))[1], 'first_name', 'nothing is stored');
});

t.test('the columns can be changed after the check', async (t) => {
  const { browser, accountId } = await visit();
  const text = 'employee_number,a,b,email,status,department\nE1,Ada,Lovelace,a@b.example,S,D\n';
  const address = await startUpload(browser, text);
  await check(api, browser, address, { column_1: 'last_name', column_2: 'first_name' });
  t.match(chosenOn(await browser.open(`${address}/columns`)), { column_1: 'last_name' });
  await check(api, browser, address, { column_1: 'first_name', column_2: 'last_name' });
  await runImport(api, browser, address);
  t.match(await storedRecords(database, accountId), [{ firstName: 'Ada', lastName: 'Lovelace' }]);
});

t.test('an account has one check or import at a time', async (t) => {
  const { browser } = await visit();
  const first = await startUpload(browser, toCsv(makeRecords(30)));
  const second = await startUpload(browser, toCsv(makeRecords(30)));
  // As if all processes were busy.
  await database.prisma.employeeImport.updateMany({
    where: { id: first.split('/').at(-1) ?? '' },
    data: {
      state: 'checking',
      queuedAt: api.clock(),
      lockedBy: 'other',
      leaseUntil: new Date(api.clock().getTime() + 9e6),
    },
  });
  const response = await submitColumns(browser, second);
  t.match(response.headers.location, /notice=import_running/);
  t.match((await browser.open(String(response.headers.location))).body, /Another file of your account/);
  t.equal(stateOn(await browser.open(first)), 'Checking');
  t.equal((await browser.open(first)).headers.refresh, '2');
  t.notOk((await browser.open(`${first}?refresh=off`)).headers.refresh, 'automatic loading can be paused');
});

t.test('a step that is not valid in the state of the import changes nothing', async (t) => {
  const { browser, accountId } = await visit();
  const address = await startUpload(browser, toCsv(makeRecords(5)));
  const state = async () => (await database.prisma.employeeImport.findFirst({ where: { accountId } }))?.state;
  await press(browser, address, 'start');
  t.equal(await state(), 'uploaded', 'an import needs a check');
  await check(api, browser, address);
  await runImport(api, browser, address);
  for (const step of ['start', 'cancel'] as const) {
    await press(browser, address, step);
    await api.uploadWorker.idle();
    t.equal(await state(), 'complete', step);
  }
  const { body } = await browser.open(address);
  const token = /name="csrf_token" value="([^"]*)"/.exec(body)?.[1] ?? '';
  const columns = {
    column_0: 'employee_number',
    column_1: 'first_name',
    column_2: 'last_name',
    column_3: 'email',
  };
  const forged = { csrf_token: token, ...columns, column_4: 'status', column_5: 'department' };
  t.equal((await browser.submit(`${address}/columns`, forged)).statusCode, 303);
  t.equal((await browser.submit(`${address}/columns`, { csrf_token: token })).statusCode, 303);
  t.equal(await state(), 'complete');
  t.equal((await eventsOf(database, accountId)).length, 1);
});

t.test('a file that is cancelled is deleted, and counts nothing as created after its check', async (t) => {
  const { browser, accountId } = await visit();
  const first = await startUpload(browser, toCsv(makeRecords(5)));
  await press(browser, first, 'cancel');
  t.equal(stateOn(await browser.open(first)), 'Cancelled');
  const second = await startUpload(browser, toCsv(makeRecords(5)));
  await check(api, browser, second);
  await press(browser, second, 'cancel');
  const page = await browser.open(second);
  t.equal(stateOn(page), 'Cancelled');
  t.equal(factOn(page, 'Created'), '0', 'the check has counted five records');
  t.equal(factOn(page, 'Rows read'), '0');
  t.equal(await chunksOf(accountId), 0);
  t.same(await storedRecords(database, accountId), []);
});

t.test('stores managers after all batches, and lists the lines with invalid ones', async (t) => {
  const { browser, accountId } = await visit();
  const rows = makeRecords(60).map(({ employeeNumber }, index) => {
    const manager = index === 7 ? 'unknown' : index === 0 ? 'E0000059' : 'E0000000';
    return `${employeeNumber},Ada,Byron,a@b.example,active,Sales,${index === 59 ? '' : manager}`;
  });
  const header = 'employee_number,first_name,last_name,email,status,department,Manager';
  const address = await startUpload(browser, `${header}\n${rows.join('\n')}\n`);
  const columns = await browser.open(address);
  t.equal(Object.values(chosenOn(columns)).at(-1), 'manager_employee_number');
  const checked = await check(api, browser, address);
  t.match(checked.body, /Whether the managers exist is checked during the import/);
  const done = await runImport(api, browser, address);
  t.equal(stateOn(done), 'Imported');
  t.equal(factOn(done, 'Created'), '60');
  t.equal(factOn(done, 'Rejected'), '0');
  t.equal(factOn(done, 'Imported without manager (not found)'), '1');
  t.match(done.body, /must be the number of an employee of the account: unknown/);
  const where = { accountId, managerId: { not: null } };
  t.equal(await database.prisma.employee.count({ where }), 58);
  const [event] = await eventsOf(database, accountId);
  t.match(event, { details: { created: '60', managers_rejected: '1', finished: 'yes' } });
});
