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
    ['in Elternzeit', 'on_leave'],
    ['Mutterschutz', 'on_leave'],
    ['beurlaubt', 'on_leave'],
    ['congé parental', 'on_leave'],
    ['En congé maternité', 'on_leave'],
    ['Maternity leave', 'on_leave'],
    ['excedencia', 'on_leave'],
    ['Ouderschapsverlof', 'on_leave'],
    ['probeweise', undefined],
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

t.test(
  'a value that is not recognized is marked, and the others have the labels of the directory',
  async (t) => {
    const { browser } = await visit();
    const values = ['in Elternzeit', 'probeweise'];
    const address = await startUpload(browser, [header, ...rowsOf(values)].join('\n'));
    const page = await browser.open(address);
    isPage(t, page);
    const [leave = '', probation = ''] =
      page.body.split('id="status_4_0"')[1]?.split('id="status_4_1"') ?? [];
    t.match(leave, /(selected value="on_leave"|value="on_leave" selected)>On leave</);
    t.equal(page.body.split('Not recognized').length - 1, 1);
    t.match(leave, /probeweise.*Not recognized/s, 'before the field of the value');
    t.match(probation, /Keep “probeweise”.*>Active<.*>On leave</s);
  },
);

t.test(
  'a check lists the statuses that are new for the account, with the number of their rows',
  async (t) => {
    const { browser } = await visit();
    const values = ['probeweise', 'in Elternzeit', 'probeweise', 'active', 'Aushilfe'];
    const text = [header, ...rowsOf(values)].join('\n');
    const address = await startUpload(browser, text);
    const page = await check(api, browser, address);
    isPage(t, page);
    t.match(
      page.body.replaceAll(/<\/?bdi>/g, ''),
      /New status: probeweise \(2 rows\).*New status: Aushilfe \(1 row\)/s,
    );
    t.equal(page.body.split('New status:').length - 1, 2);
    await runImport(api, browser, address);
    const again = await startUpload(browser, text.replace('Aushilfe', 'PROBEWEISE'));
    t.notMatch((await check(api, browser, again)).body, /New status/, 'the account has them now');
  },
);

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
