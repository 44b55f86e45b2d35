import {
  check,
  chosenOn,
  factOn,
  runImport,
  startUpload,
  submitColumns,
} from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { employeeScene } from '../support/records/employee-scene.js';
import { importText, storedRecords } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

t.test('a file without e-mail addresses, of people with one or two names', async (t) => {
  const { browser, stored } = await employeeScene(api, []);
  const rows = [
    'Personalnr;Name;Vorname;E-Mail;Status;Abteilung',
    'E1;Suharto;;;aktiv;Werk',
    'E2;;Pelé;;aktiv;Werk',
    'E3;Groß;Jürgen; ;aktiv;Werk',
    'E4;;;;aktiv;Werk',
  ];
  const address = await startUpload(browser, rows.join('\n'));
  const page = await check(api, browser, address);
  isPage(t, page);
  t.match(page.body, /Row 5<.*First name or last name is required/s);
  t.notMatch(page.body, 'Repeated e-mail addresses', 'people without an address share none');
  t.equal(factOn(await runImport(api, browser, address), 'Created'), '3');
  t.match(await stored(), [
    { firstName: '', lastName: 'Suharto', email: '' },
    { firstName: 'Pelé', lastName: '', email: '' },
    { firstName: 'Jürgen', lastName: 'Groß', email: '' },
  ]);
});

t.test('a column of an optional attribute can be absent, and one of the names is needed', async (t) => {
  const { browser, stored } = await employeeScene(api, []);
  const address = await startUpload(browser, 'Personalnr;Vorname;Status;Abteilung\nE1;Pelé;aktiv;Werk\n');
  t.same(chosenOn(await browser.open(address)), {
    column_0: 'employee_number',
    column_1: 'first_name',
    column_2: 'status',
    column_3: 'department',
  });
  const missing = await submitColumns(browser, address, { column_1: '' });
  isPage(t, missing, 400);
  t.match(missing.body, 'Missing: First name or Last name.');
  await check(api, browser, address);
  await runImport(api, browser, address);
  t.match(await stored(), [{ firstName: 'Pelé', lastName: '', email: '' }]);
});

t.test('an absent value is unchanged, and an empty one or null removes it', async (t) => {
  const ada = { employeeNumber: 'E1', firstName: 'Ada', lastName: 'Lovelace', email: 'ada@x.example' };
  const base = { employee_number: 'E1', status: 'active', department: 'D' };
  const header = 'employee_number,status,department';
  for (const [text, expected] of [
    [`${header},first_name\nE1,active,D,Bob\n`, { firstName: 'Bob', lastName: 'Lovelace', email: ada.email }],
    [
      `${header},first_name,last_name,email\nE1,active,D,Ada,,\n`,
      { firstName: 'Ada', lastName: '', email: '' },
    ],
    [JSON.stringify({ ...base, last_name: 'L' }), { firstName: 'Ada', lastName: 'L', email: ada.email }],
    [
      JSON.stringify({ ...base, first_name: null, last_name: 'L', email: null }),
      { firstName: '', email: '' },
    ],
  ] as const) {
    const { accountId } = await employeeScene(api, [ada]);
    t.match(await importText(database, accountId, text), { counts: { updated: 1 }, refusals: [] });
    t.match(await storedRecords(database, accountId), [expected], text);
  }
  const { accountId } = await employeeScene(api, [ada]);
  const { refusals } = await importText(
    database,
    accountId,
    JSON.stringify({ ...base, email: 'b@x.example' }),
  );
  t.same(refusals, ['line 1: first_name or last name is required']);
});
