import type { LightMyRequestResponse } from 'fastify';
import { check, datesOn, factOn, runImport, startUpload } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

interface RealFile {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** Fields of the form for the columns that differ from the suggestions. */
  readonly changes?: Readonly<Record<string, string>>;
}

/** Imports a file as a user does, and returns what is stored and the result of the check. */
async function imported(t: Test, { name, content, changes = {} }: RealFile) {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const address = await startUpload(browser, content, { name });
  const columns = await browser.open(address);
  isPage(t, columns);
  const checked = await check(api, browser, address, changes);
  const done = await runImport(api, browser, address);
  const employees = await database.prisma.employee.findMany({
    where: { accountId },
    orderBy: { employeeNumber: 'asc' },
  });
  const stored = employees.map(({ hireDate, ...employee }) => {
    return { ...employee, hireDate: hireDate?.toISOString().slice(0, 10) };
  });
  return { columns, checked, done, stored };
}

const errorsOn = ({ body }: Pick<LightMyRequestResponse, 'body'>) =>
  [...body.matchAll(/<div>(Row \d+)(?:, <bdi>[^<]*<\/bdi>)?<\/div>.*?<bdi>(.*?)<\/bdi>/gs)].map(
    ([, line, error]) => `${line}: ${error}`,
  );

const germanHeader = 'Personalnummer;Vorname;Nachname;E-Mail;Status;Abteilung;Eintrittsdatum';

t.test('a German CSV file of Excel in Windows-1252', async (t) => {
  const rows = [
    germanHeader,
    '00123;Jürgen;Groß;jg@x.example;aktiv;Einkauf – €;01.02.2023',
    '00124;Änne;Möller;am@x.example;ausgetreten;"Lager; Süd";13.12.2022',
    '00125;Änne;Möller;am@x.example;aktiv;Einkauf;',
  ];
  // Windows-1252 differs from Latin-1 in the dash and the euro.
  const text = `${rows.join('\r\n')}\r\n`.replace('–', '\x96').replace('€', '\x80');
  const content = Buffer.from(text, 'latin1');
  const { columns, stored } = await imported(t, { name: 'Mitarbeiter.csv', content });
  t.match(
    columns.body,
    /CSV with 7 columns, separated by semicolons\. Characters: Western European \(Windows-1252\)\./,
  );
  t.match(columns.body, /Jürgen/, 'the preview shows umlauts');
  t.same(datesOn(columns), [], 'nothing to choose');
  t.match(columns.body, '01.02.2023 → 1 February 2023 (day, month, year)');
  t.match(stored, [
    {
      employeeNumber: '00123',
      firstName: 'Jürgen',
      status: 'active',
      department: 'Einkauf – €',
      hireDate: '2023-02-01',
    },
    { lastName: 'Möller', status: 'terminated', department: 'Lager; Süd', hireDate: '2022-12-13' },
    { hireDate: undefined },
  ]);
});

t.test('Unicode text of Excel: UTF-16 with tabs', async (t) => {
  const rows = [germanHeader, '1;Zoë;山田;zo@x.example;aktiv;Einkauf;01.02.2023'];
  const text = `\uFEFF${rows.join('\r\n').replaceAll(';', '\t')}\r\n`;
  const { columns, stored } = await imported(t, { name: 'staff.txt', content: Buffer.from(text, 'utf16le') });
  t.match(columns.body, /CSV with 7 columns, separated by tabs\. Characters: Unicode \(UTF-16\)\./);
  t.match(stored, [{ firstName: 'Zoë', lastName: '山田', hireDate: '2023-02-01' }]);
});

t.test('a US file with the month first', async (t) => {
  const content = [
    'Employee ID,First Name,Last Name,Work Email,Employment Status,Department,Hire Date,Salary',
    'E1,Ada,"Lovelace, Jr.",ada@x.example,Active,Sales,2/13/2023,"$50,000"',
    'E2,Bob,Miller,bob@x.example,Terminated,Sales,1/2/2023,"$40,000"',
  ].join('\r\n');
  const { stored } = await imported(t, { name: 'employees.csv', content });
  t.match(stored, [
    { lastName: 'Lovelace, Jr.', status: 'active', hireDate: '2023-02-13' },
    { status: 'terminated', hireDate: '2023-01-02' },
  ]);
});

t.test('a French file with semicolons', async (t) => {
  const content = [
    '\uFEFFMatricule;Prénom;Nom;Adresse e-mail;Statut;Service;Date d’embauche;Lieu de travail',
    'M1;Chloé;Lefèvre;cl@x.example;Actif;Ventes;13/02/2023;Orléans',
    'M2;Noël;D’Arc;nd@x.example;En congé;Ventes;01/02/2023;Orléans',
  ].join('\n');
  const { stored } = await imported(t, { name: 'salariés.csv', content });
  t.match(stored, [
    { firstName: 'Chloé', status: 'active', location: 'Orléans', hireDate: '2023-02-13' },
    { firstName: 'Noël', status: 'on_leave', hireDate: '2023-02-01' },
  ]);
});

t.test('a file with two columns of the same name', async (t) => {
  const content =
    'Personalnr;Vorname;Name;E-Mail;E-Mail;Status;Abteilung\n1;A;B;a@x.example;private;aktiv;S\n';
  const { stored } = await imported(t, { name: 'a.csv', content });
  t.match(stored, [{ email: 'a@x.example', lastName: 'B' }]);
});

t.test(
  'a file with blank lines, rows of delimiters only, and delimiters at the end of its lines',
  async (t) => {
    const rows = [
      ...['', ';;;;;;;;', `${germanHeader};;`, ''],
      ...['1;A;B;a@x.example;aktiv;S;01.02.2023;;', ';;;;;;;;', ' ; ;;;;;;;'],
      ...['2;A;B;a@x.example;aktiv;S;;;;;x', '', ''],
    ];
    const { columns, checked, done, stored } = await imported(t, {
      name: 'a.csv',
      content: rows.join('\r\n'),
    });
    t.match(columns.body, /CSV with 7 columns, separated by/);
    t.equal(factOn(done, 'Rows read'), '2');
    t.equal(stored.length, 1);
    t.same(errorsOn(checked), ['Row 8: has 11 fields where the header has 7']);
  },
);

t.test('a file with commas at the end of its lines', async (t) => {
  const content = [
    'Employee Number,First Name,Last Name,Email,Status,Department,,,',
    'E1,Ada,Lovelace,ada@x.example,active,Sales,,,',
    'E2,Pelé,,,active,Sales,,,',
    ',,,,,,,,',
  ].join('\r\n');
  const { columns, checked, stored } = await imported(t, { name: 'employees.csv', content });
  t.match(columns.body, /CSV with 6 columns, separated by commas/);
  t.equal(factOn(checked, 'Rejected'), '0');
  t.match(stored, [{ lastName: 'Lovelace' }, { firstName: 'Pelé', lastName: '', email: '' }]);
});

t.test('a file with line breaks in its names of columns and values', async (t) => {
  const content = [
    '"Personal-\nnummer";Vorname;Nachname;E-Mail;Status;Abteilung',
    '1;A;B;a@x.example;aktiv;S',
    '2;"A\r\nB";B;a@x.example;aktiv;S',
    '3;A;B;c@x.example;aktiv;S',
  ].join('\r\n');
  const { checked, stored } = await imported(t, { name: 'a.csv', content });
  t.match(stored, [{ employeeNumber: '1' }, { employeeNumber: '3' }]);
  t.equal(errorsOn(checked).length, 1);
  t.match(errorsOn(checked), [/^Row 4: First name must /]);
});
