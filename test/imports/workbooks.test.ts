import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type ImportSource, openSource } from '../../src/features/imports/command/source.js';
import { openFileText } from '../../src/features/imports/formats/file-text.js';
import { check, factOn, runImport, startUpload } from '../support/browser/import-pages.js';
import { fiveDigits, type WorkbookOptions, workbookOf } from '../support/input/workbook.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

/** The text of a workbook. */
async function textOf(rows: Parameters<typeof workbookOf>[0], options?: WorkbookOptions) {
  const bytes = workbookOf(rows, options);
  const { content, source } = await openFileText({
    size: bytes.length,
    read: async function* (start, end) {
      yield bytes.subarray(start, end);
    },
  });
  return { text: Buffer.concat(await collect(content)).toString(), source };
}

async function collect(content: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return pieces;
}

t.test('an Excel workbook is imported with its texts and dates', async (t) => {
  const { user, accountId } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const header = ['Employee no.', 'First name', 'Surname', 'E-mail', 'Status', 'Department', 'Hire date'];
  const rows = [
    header,
    [1001, 'Jürgen', 'Groß', 'jg@x.example', 'active', 'Einkauf & Lager', { serial: 44_958 }],
    [],
    [1002, 'Zoë', 'O"Neil', 'zo@x.example', 'active', 'R, D', { serial: 45_292 }],
  ];
  const address = await startUpload(browser, workbookOf(rows), { name: 'Mitarbeiter.xlsx' });
  const page = await browser.open(address);
  t.match(page.body, /Excel workbook, sheet “Tabelle1”, with 7 columns/);
  t.match(page.body, /Jürgen/);
  await check(api, browser, address);
  t.equal(factOn(await runImport(api, browser, address), 'Created'), '2');
  const stored = await database.prisma.employee.findMany({ where: { accountId } });
  t.match(stored, [
    { employeeNumber: '1001', firstName: 'Jürgen', lastName: 'Groß', department: 'Einkauf & Lager' },
    { employeeNumber: '1002', firstName: 'Zoë', lastName: 'O"Neil', department: 'R, D' },
  ]);
  t.same(
    stored.map(({ hireDate }) => hireDate?.toISOString().slice(0, 10)),
    ['2023-02-01', '2024-01-01'],
  );
});

t.test('an invalid row is reported with its number in Excel', async (t) => {
  const { user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  const rows = [
    ['Employee no.', 'First name', 'Surname', 'E-mail', 'Status', 'Department'],
    [],
    ['1', 'two\nlines', 'L', 'a@x.example', 'active', 'S'],
    ['2', 'F', 'L', 'no address', 'active', 'S'],
    ['3', 'F', 'L', 'b@x.example', 'active', { xml: '<c t="e"><f>VLOOKUP(A1,B:B,1)</f><v>#N/A</v></c>' }],
  ];
  const address = await startUpload(browser, workbookOf(rows), { name: 'staff.xlsx' });
  const page = await check(api, browser, address);
  t.equal(factOn(page, 'To be created'), '1');
  t.match(page.body, /Row 4[,<].*E-mail/s);
  t.match(page.body, /Row 5[,<].*has a cell with the error #N\/A/s);
});

t.test('cells have the text that Excel shows', async (t) => {
  const cells = [
    { xml: `<c s="${fiveDigits}"><v>123</v></c>` },
    { xml: '<c t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r><rPh><t>x</t></rPh></is></c>' },
    { xml: '<c t="str"><f>A1&amp;"b"</f><v>formula</v></c>' },
    { xml: '<c><f>1+1</f><v>2</v></c>' },
    { xml: '<c t="b"><v>1</v></c>' },
    { xml: '<c t="d"><v>2023-02-01</v></c>' },
    { xml: '<c><v>0.30000000000000004</v></c>' },
    { xml: '<c><v>1.23E+3</v></c>' },
    { xml: '<c s="1"><v>44958.5</v></c>' },
    { xml: '<c s="1"><v>1</v></c>' },
    'a;b',
    { xml: '<c s="1"/>' },
  ];
  const { text } = await textOf([cells.map((_, index) => `c${index}`), cells]);
  t.equal(
    text.split('\n')[1],
    '00123,inline,formula,2,TRUE,2023-02-01,0.3,1230,2023-02-01 12:00:00,1900-01-01,"a;b",',
  );
});

t.test('dates that count from 1904 are read as such', async (t) => {
  const { text } = await textOf([['d'], [{ serial: 43_496 }]], { from1904: true });
  t.equal(text, 'd\n2023-02-01\n');
});

t.test('the first visible sheet is read, and neither macros nor links to other files', async (t) => {
  const sheets =
    '<sheet name="Hidden" sheetId="1" state="hidden" r:id="rId2"/><sheet name="Staff" sheetId="2" r:id="rId1"/>';
  const broken = { content: 'not XML, and never read' };
  const parts = { 'xl/externalLinks/externalLink1.xml': broken, 'xl/vbaProject.bin': broken };
  const { text, source } = await textOf([['a', 'b'], ['1']], { sheets, parts });
  t.equal(source, 'Excel workbook, sheet “Staff”');
  t.equal(text, 'a,b\n1,\n');
});

t.test(
  'the command line reads workbooks and other encodings, and explains what it cannot read',
  async (t) => {
    const directory = t.testdir();
    const { signal } = new AbortController();
    const open = async (name: string, content: Uint8Array) => {
      const file = path.join(directory, name);
      await writeFile(file, content);
      return openSource({ stdin: process.stdin }, file, { format: undefined, signal });
    };
    const text = async ({ pieces }: ImportSource) => Buffer.concat(await collect(pieces)).toString();
    t.equal(await text(await open('a.xlsx', workbookOf([['ä'], [1]]))), 'ä\n1\n');
    const utf16 = await open('b.csv', Buffer.from('\uFEFFä\n1\n', 'utf16le'));
    t.equal(await text(utf16), 'ä\n1\n');
    t.equal(utf16.bytesRead, utf16.totalBytes, 'the progress counts what was converted once');
    await t.rejects(open('c.csv', Buffer.from('%PDF-1.7')), {
      message: 'c.csv: the file is a PDF document; export the table as .xlsx or “CSV UTF-8”',
    });
  },
);
