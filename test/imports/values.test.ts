import { knownStatuses } from '../../src/features/employees/index.js';
import { suggestStatus } from '../../src/features/imports/status-values.js';
import { check, factOn, runImport, startUpload, submitColumns } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

async function visit() {
  const { user, accountId } = await createScene(database);
  const stored = () =>
    database.prisma.employee.findMany({ where: { accountId }, orderBy: { employeeNumber: 'asc' } });
  return { browser: await signedInBrowser(api, user), stored };
}

const header = 'Personalnr;Vorname;Nachname;E-Mail;Status;Abteilung';
const rowsOf = (values: readonly string[]) =>
  values.map((value, index) => `E${index};F;L;a@x.example;${value};S`);

t.test('the statuses are those of the contract', async (t) => {
  const { status } = contract.document.components.schemas.EmployeeAttributes?.properties ?? {};
  t.same(knownStatuses, (status as unknown as Record<string, unknown>)['x-extensible-enum']);
  for (const [value, expected] of [
    ['Aktiv', 'active'],
    ['Élternzeit', 'on_leave'],
    ['EN CONGÉ', 'on_leave'],
    ['ausgetreten', 'terminated'],
    ['uit dienst', 'terminated'],
    ['Inativo', 'inactive'],
    ['On leave', 'on_leave'],
    ['constructor', undefined],
    ['', undefined],
  ] as const)
    t.equal(suggestStatus(value), expected, value);
});

t.test('values of the status are replaced as the form says, and others are kept', async (t) => {
  const { browser, stored } = await visit();
  const values = ['aktiv', 'ausgetreten', 'Sabbatical', 'active', 'Probezeit'];
  const address = await startUpload(browser, [header, ...rowsOf(values)].join('\n'));
  const page = await browser.open(address);
  isPage(t, page);
  t.match(page.body, /Values of the status.*aktiv.*ausgetreten.*Sabbatical.*Probezeit/s);
  t.notMatch(page.body, /Keep “active”/, 'a status of the contract needs no field');
  await check(api, browser, address, { status_4_2: 'on_leave' });
  await runImport(api, browser, address);
  t.same(
    (await stored()).map(({ status }) => status),
    ['active', 'terminated', 'on_leave', 'active', 'Probezeit'],
  );
});

t.test('an unknown status of the form is ignored, and many values have no fields', async (t) => {
  const { browser, stored } = await visit();
  const address = await startUpload(browser, [header, ...rowsOf(['aktiv'])].join('\n'));
  await check(api, browser, address, { status_4_0: 'x' });
  await runImport(api, browser, address);
  t.match(await stored(), [{ status: 'aktiv' }]);
  const many = await startUpload(browser, [header, ...rowsOf('abcdefghijk'.split(''))].join('\n'));
  t.notMatch((await browser.open(many)).body, /Values of the status/);
});

t.test('a required attribute without a column can have one value for all rows', async (t) => {
  const { browser, stored } = await visit();
  const text = 'Personalnr;Vorname;Nachname;E-Mail\nE1;Ada;L;a@x.example\nE2;Bob;M;b@x.example\n';
  const address = await startUpload(browser, text);
  t.match((await browser.open(address)).body, /Values for all rows.*Status.*Department/s);
  const page = await submitColumns(browser, address, { value_status: 'active', value_department: ' ' });
  isPage(t, page, 400);
  t.match(page.body, /Missing: Department\./);
  t.match(page.body, /name="value_status" value="active"/, 'the other value is kept');
  const invalid = await check(api, browser, address, {
    value_status: 'x'.repeat(65),
    value_department: 'IT',
  });
  t.equal(factOn(invalid, 'Rejected'), '2');
  await check(api, browser, address, { value_status: 'active', value_department: 'IT' });
  await runImport(api, browser, address);
  t.match(await stored(), [
    { firstName: 'Ada', status: 'active', department: 'IT' },
    { firstName: 'Bob', status: 'active', department: 'IT' },
  ]);
  const personal = await startUpload(browser, 'Vorname;Nachname\nAda;L\n');
  t.notMatch((await browser.open(personal)).body, /name="value_(employee_number|email)"/);
});
