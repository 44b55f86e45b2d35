import { type Browser, hiddenFields } from '../support/browser/browser.js';
import { check, runImport, startUpload, stateOn } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { eventsOf } from '../support/browser/user-pages.js';
import { createScene, createUser, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader, importText, makeRecords, toCsv } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { importBatchSize: 20 });
const { database } = api;
const { prisma } = database;

async function visit() {
  const { user, accountId } = await createScene(database);
  return { user, accountId, browser: await signedInBrowser(api, user) };
}

/** Imports a file and returns the address of the import. */
async function imported(browser: Browser, text: string): Promise<string> {
  const address = await startUpload(browser, text);
  await check(api, browser, address);
  await runImport(api, browser, address);
  return address;
}

async function undo(browser: Browser, address: string) {
  const form = await browser.open(`${address}/undo`);
  await browser.submit(`${address}/undo`, hiddenFields(form.body));
  return await browser.open(address);
}

const valuesOf = async (accountId: string) =>
  (await prisma.employee.findMany({ where: { accountId }, orderBy: { position: 'asc' } })).map(
    ({ updatedAt: _, ...values }) => values,
  );

const header = `${csvHeader},job_title,hire_date,manager_employee_number`;

t.test('undoing an import deletes what it created and restores what it changed, exactly', async (t) => {
  const { browser, accountId, user } = await visit();
  await importText(
    database,
    accountId,
    [
      header,
      'E1,Ada,L,ada@x.example,active,IT,Boss,2020-01-01,',
      'E2,Bob,M,bob@x.example,active,IT,,,E1',
      'E3,Cyd,N,cyd@x.example,active,IT,,,E1',
      'E4,Dan,O,dan@x.example,active,IT,,,',
    ].join('\n'),
  );
  const before = await valuesOf(accountId);
  const address = await imported(
    browser,
    [
      header,
      'E1,Ada,L,ada@x.example,active,Sales,,2021-01-01,',
      'E2,Bob,M,bob@x.example,active,IT,,,N1',
      'E4,Dan,O,dan@x.example,active,IT,,,',
      ...Array.from({ length: 22 }, (_, index) => `N${index},F,L,n@x.example,active,IT,,,N0`),
      // In another batch than the first record with this number.
      'E1,Ada,Lovelace,ada@x.example,inactive,HR,,2021-01-01,N2',
    ].join('\n'),
  );
  const page = await browser.open(`${address}/undo`);
  isPage(t, page);
  t.match(page.body, /created are deleted: 22\..*earlier values again: 2\./s);
  const { events: position } = await prisma.accountTotals.findFirstOrThrow({ where: { accountId } });
  const undone = await undo(browser, address);
  isPage(t, undone);
  t.equal(stateOn(undone), 'Undone');
  t.match(undone.body, /Employees deleted: 22\..*before the import: 2\./s);
  t.notMatch(undone.body, /changed since/);
  t.same(await valuesOf(accountId), before);
  t.equal(
    await prisma.employeeImportChange.count({
      where: { accountId, importId: address.split('/').at(-1) ?? '' },
    }),
    0,
  );
  const events = await prisma.event.groupBy({
    by: ['type'],
    where: { accountId, position: { gte: position }, userId: user.id },
    _count: true,
    orderBy: { type: 'asc' },
  });
  t.equal(events.find(({ type }) => type === 'employee.deleted')?._count, 22);
  t.match((await browser.open('/people')).body, /IT \(4\).*Active \(4\).*No location \(4\)/s);
  const audited = (await eventsOf(database, accountId)).filter(
    ({ type }) => type === 'employees.import_undone',
  );
  t.match(audited, [
    { userId: user.id, details: { file: 'staff.csv', deleted: '22', restored: '2', kept: '0' } },
  ]);
});

t.test('people who were changed since stay, and are counted', async (t) => {
  const { browser, accountId } = await visit();
  await importText(database, accountId, toCsv(makeRecords(4)));
  const changed = makeRecords(4, { department: 'IT' });
  const fresh = makeRecords(8).slice(4);
  const address = await imported(browser, toCsv([...changed, ...fresh]));
  const where = (employeeNumber: string) => ({ accountId, employeeNumber });
  await prisma.employee.updateMany({ where: where('E0000000'), data: { lastName: 'Changed' } });
  await prisma.employee.updateMany({ where: where('E0000004'), data: { location: 'Oslo' } });
  const { id } = await prisma.employee.findFirstOrThrow({ where: where('E0000007') });
  await prisma.employee.updateMany({ where: where('E0000005'), data: { managerId: id } });
  await prisma.employee.deleteMany({ where: where('E0000001') });
  const page = await undo(browser, address);
  t.match(page.body, /Employees deleted: 2\..*before the import: 2\..*3 people were changed since and stay/s);
  const stored = await prisma.employee.findMany({ where: { accountId }, orderBy: { employeeNumber: 'asc' } });
  t.same(
    stored.map(({ employeeNumber, department, lastName, managerId }) => [
      ...[employeeNumber, department, managerId],
      ...(lastName === 'Changed' ? [lastName] : []),
    ]),
    [
      ['E0000000', 'IT', null, 'Changed'],
      ['E0000002', 'Payroll', null],
      ['E0000003', 'Legal', null],
      ['E0000004', 'Design', null],
      ['E0000005', 'Sales', null],
    ],
    'the report of a deleted employee has no manager',
  );
});

t.test('an earlier manager who is deleted or would lead to a cycle is not restored', async (t) => {
  const { browser, accountId } = await visit();
  const rows = (managers: readonly string[]) =>
    [header, ...managers.map((manager, index) => `E${index},F,L,a@x.example,active,IT,,,${manager}`)].join(
      '\n',
    );
  await importText(database, accountId, rows(['E1', '', 'E3', '', '']));
  const address = await imported(browser, rows(['E4', '', 'E4', '', '']));
  const idOf = async (employeeNumber: string) =>
    (await prisma.employee.findFirstOrThrow({ where: { accountId, employeeNumber } })).id;
  await prisma.employee.updateMany({
    where: { accountId, employeeNumber: 'E1' },
    data: { managerId: await idOf('E0') },
  });
  await prisma.employee.deleteMany({ where: { accountId, employeeNumber: 'E3' } });
  const page = await undo(browser, address);
  t.match(page.body, /2 people keep the managers of the import/);
  const managers = await prisma.employee.findMany({
    where: { accountId, employeeNumber: { in: ['E0', 'E2'] } },
    select: { managerId: true },
  });
  const kept = await idOf('E4');
  t.same(managers, [{ managerId: kept }, { managerId: kept }]);
});

t.test('only an import that has ended is undone: once, within 7 days, by an administrator', async (t) => {
  const { browser, user, accountId } = await visit();
  const text = toCsv(makeRecords(3));
  const address = await startUpload(browser, text);
  const count = () => prisma.employee.count({ where: { accountId } });
  const token = hiddenFields((await browser.open(address)).body);
  await check(api, browser, address);
  t.equal((await browser.open(`${address}/undo`)).statusCode, 303, 'a check changes nothing');
  await browser.submit(`${address}/undo`, token);
  t.equal(stateOn(await browser.open(address)), 'Checked, not imported');
  await runImport(api, browser, address);
  const member = await signedInBrowser(api, await createUser(database, accountId, { role: 'member' }));
  t.equal((await member.open(`${address}/undo`)).statusCode, 403);
  const memberToken = hiddenFields((await member.open('/people')).body);
  t.equal((await member.submit(`${address}/undo`, memberToken)).statusCode, 403);
  const other = await visit();
  const otherToken = hiddenFields((await other.browser.open('/people')).body);
  t.equal((await other.browser.open(`${address}/undo`)).statusCode, 404);
  t.equal((await other.browser.submit(`${address}/undo`, otherToken)).statusCode, 404);
  t.equal((await browser.submit(`${address}/undo`, {})).statusCode, 403, 'without the CSRF token');
  t.equal(await count(), 3);
  const unchanged = await imported(browser, text);
  t.notMatch((await browser.open(unchanged)).body, /Undo import/, 'it changed nothing');
  api.clock.advanceSeconds(7 * 86_400 - 100);
  const later = await signedInBrowser(api, user);
  t.match((await later.open(address)).body, /Undo import/);
  const form = hiddenFields((await later.open(`${address}/undo`)).body);
  api.clock.advanceSeconds(200);
  t.equal((await later.submit(`${address}/undo`, form)).statusCode, 404);
  t.equal(await count(), 3);
  const again = await imported(later, toCsv(makeRecords(5)));
  await undo(later, again);
  t.equal(await count(), 3);
  await importText(database, accountId, toCsv(makeRecords(5)));
  t.equal((await later.submit(`${again}/undo`, form)).statusCode, 303);
  t.equal(await count(), 5, 'a second time changes nothing');
});
