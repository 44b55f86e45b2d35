import { check, datesOn, factOn, runImport, startUpload } from '../../support/browser/import-pages.js';
import { isPage } from '../../support/browser/pages.js';
import { createScene, signedInBrowser } from '../../support/oauth/users.js';
import { manyRows } from '../../support/records/import.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

/** Two digits, for days and months. */
const two = (number: number) => String(number).padStart(2, '0');

t.test(
  '5,000 rows of a German CSV file of Excel, of which three are rejected with their reasons',
  async (t) => {
    const { user, accountId } = await createScene(database);
    const browser = await signedInBrowser(api, user);
    const rows = Array.from({ length: 5_000 }, (_, index) => {
      const date = `${two((index % 28) + 1)}.${two((index % 12) + 1)}.${2000 + (index % 24)}`;
      // In a factory, every third person has no address.
      const email = index % 3 === 0 ? '' : `p${index}@x.example`;
      const manager = index === 0 ? '' : `P${Math.floor((index - 1) / 10)}`;
      return [`P${index}`, 'Jürgen', 'Groß', email, 'aktiv', 'Lager; Süd', date, manager];
    });
    const change = (row: number, column: number, value: string) => {
      rows[row] = (rows[row] ?? []).with(column, value);
    };
    change(1_000, 6, '31.02.2023');
    change(2_000, 6, '01.02.23');
    change(3_000, 5, ' ');
    const header = 'Personalnummer;Vorname;Nachname;E-Mail;Status;Abteilung;Eintrittsdatum;Vorgesetzter';
    const lines = rows.map((row) =>
      row.map((value) => (value.includes(';') ? `"${value}"` : value)).join(';'),
    );
    const content = Buffer.from(`${[header, ...lines].join('\r\n')}\r\n`, 'latin1');
    const address = await startUpload(browser, content, { name: 'Mitarbeiter.csv' });
    const columns = await browser.open(address);
    isPage(t, columns);
    t.match(
      columns.body,
      /CSV with 8 columns, separated by semicolons\. Characters: Western European \(Windows-1252\)\./,
    );
    t.match(columns.body, /Dates of <bdi>Eintrittsdatum<\/bdi>: .*day, month, year\)/);
    const checked = await check(api, browser, address);
    t.equal(factOn(checked, 'To be created'), '4,997');
    const errors = checked.body.matchAll(
      /<div>Row ([\d,]+), <bdi>Jürgen Groß<\/bdi><\/div>.*?<bdi>(.*?)<\/bdi>/gs,
    );
    t.match(
      [...errors].map(([, row, error]) => `${row}: ${error}`),
      [
        '1,002: Hire date: 31.02.2023. This day does not exist. For example 28.02.2023.',
        '2,002: Hire date: 01.02.23 has a year with two digits',
        '3,002: Department is required',
      ],
    );
    t.notMatch(checked.body, 'Repeated e-mail addresses');
    const done = await runImport(api, browser, address);
    t.equal(factOn(done, 'Created'), '4,997');
    const where = {
      accountId,
      status: 'active',
      firstName: 'Jürgen',
      lastName: 'Groß',
      department: 'Lager; Süd',
    };
    t.equal(await database.prisma.employee.count({ where }), 4_997);
    t.equal(await database.prisma.employee.count({ where: { accountId, managerId: null } }), 1);
  },
);

t.test(`${manyRows} rows of a US CSV file with the month first`, async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const rows = Array.from(
    { length: manyRows },
    (_, index) =>
      `E${index},Ada,"Lovelace, Jr.",e${index}@x.example,Active,Sales,${(index % 12) + 1}/${(index % 28) + 1}/2023`,
  );
  const header = 'Employee ID,First Name,Last Name,Work Email,Employment Status,Department,Hire Date';
  const address = await startUpload(browser, [header, ...rows].join('\r\n'), { name: 'employees.csv' });
  t.match(datesOn(await browser.open(address)), [{ chosen: 'mdy' }]);
  t.equal(factOn(await check(api, browser, address), 'To be created'), manyRows.toLocaleString('en'));
  t.equal(factOn(await runImport(api, browser, address), 'Created'), manyRows.toLocaleString('en'));
  const where = { accountId, status: 'active', lastName: 'Lovelace, Jr.', hireDate: new Date('2023-12-28') };
  t.ok((await database.prisma.employee.count({ where })) > manyRows / 100);
});
