import { uploadFile } from '../support/browser/import-pages.js';
import { isPage } from '../support/browser/pages.js';
import { sheetXml, type WorkbookOptions, workbookOf } from '../support/input/workbook.js';
import { zipOf } from '../support/input/zip.js';
import { createScene, signedInBrowser } from '../support/oauth/users.js';
import { csvHeader } from '../support/records/import.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

const row = ['E1', 'Ada', 'Lovelace', 'ada@x.example', 'active', 'Sales'];
const rows = [csvHeader.split(','), row];
const ordinary = workbookOf(rows);

/** A workbook with another part, or without one. */
const withPart = (name: string, content: string | null, more = {}) =>
  workbookOf(rows, { parts: { [name]: content === null ? null : { content, ...more } } } as WorkbookOptions);

const sheetPart = 'xl/worksheets/sheet1.xml';
const sheetOf = (content: string) => `<worksheet><sheetData>${content}</sheetData></worksheet>`;

/** Uploads files, each of which is rejected with one sentence and not stored. */
async function areRejected(t: Test, files: readonly (readonly [Uint8Array, RegExp])[], name: string) {
  const { accountId, user } = await createScene(database);
  const browser = await signedInBrowser(api, user);
  for (const [content, expected] of files) {
    const page = await uploadFile(browser, content, { name });
    isPage(t, page, 400, String(expected));
    t.match(page.body, /The file cannot be imported: /);
    t.match(page.body, expected);
  }
  const where = { accountId };
  t.equal(await database.prisma.employeeImport.count({ where }), 0);
  t.equal(await database.prisma.employeeImportChunk.count({ where }), 0);
}

t.test('files of other types are rejected at upload, whatever their names', async (t) => {
  const compound = Buffer.concat([Buffer.from('D0CF11E0A1B11AE1', 'hex'), Buffer.alloc(2_000)]);
  const files = [
    [Buffer.from('%PDF-1.7\n%âãÏÓ\n1 0 obj\n'), /the file is a PDF document/],
    [compound, /an old Excel workbook \(\.xls\) or protected with a password; save it as \.xlsx/],
    [Buffer.from('1f8b0800000000000003', 'hex'), /compressed with gzip/],
    [Buffer.from('{\\rtf1\\ansi a;b}'), /the file is a text document/],
    [zipOf([{ name: 'staff.csv', content: csvHeader }]), /ZIP archive and not an Excel workbook/],
    [zipOf([{ name: 'mimetype', content: 'application/vnd.oasis' }]), /not an Excel workbook; save it as/],
    [
      zipOf([
        {
          name: '_rels/.rels',
          content: '<a><Relationship Id="a" Type="x/officeDocument" Target="xl/workbook.bin"/></a>',
        },
        { name: 'xl/workbook.bin', content: 'x' },
      ]),
      /binary Excel workbook \(\.xlsb\)/,
    ],
  ] as const;
  await areRejected(t, files, 'staff.csv');
});

t.test('a damaged or encrypted Excel workbook is rejected at upload', async (t) => {
  const damage = /the Excel workbook is damaged or incomplete/;
  const cell = (xml: string) => withPart(sheetPart, sheetOf(`<row r="1">${xml}</row>`));
  const files = [
    ...[200, ordinary.length / 2, ordinary.length - 30, ordinary.length - 1].map(
      (length) => [ordinary.subarray(0, length), damage] as const,
    ),
    [withPart(sheetPart, null), damage],
    [withPart(sheetPart, '<worksheet><sheetData><row r="1"><c t="s"><v>0</v>'), damage],
    [withPart(sheetPart, '<worksheet><sheetData>'), damage],
    [withPart(sheetPart, '<!DOCTYPE a [<!ENTITY b "x">]><worksheet>&b;</worksheet>'), damage],
    [withPart(sheetPart, '<worksheet>&#xD800;\0'), damage],
    [cell('<c t="s"><v>99</v></c>'), damage],
    [cell('<c r="XFE1"><v>1</v></c>'), damage],
    [cell('<c r="ALM1"><v>1</v></c>'), /row 1 has more than 1,000 columns; delete the values beside/],
    [withPart('xl/sharedStrings.xml', `<sst><si><t>${'a'.repeat(32_768)}</t></si></sst>`), damage],
    [cell('<c r="B1"><v>1</v></c><c r="A1"><v>1</v></c>'), damage],
    [withPart(sheetPart, sheetOf('<row r="2"/><row r="1"/>')), damage],
    [withPart(sheetPart, sheetOf('<row r="1048577"/>')), damage],
    [withPart('xl/workbook.xml', 'x'), damage],
    [withPart(sheetPart, sheetOf(''), { isEncrypted: true }), /protected with a password/],
    [cell('<c><f>1+1</f></c>'), /row 1 has a formula without its result; open the workbook in Excel/],
    [workbookOf(rows, { sheets: '' }), /no visible sheet with rows/],
    [workbookOf(rows, { sheets: '<sheet name="a" state="veryHidden" r:id="rId1"/>' }), /no visible sheet/],
    [workbookOf([]), /the file is empty/],
    [workbookOf([[], ['']]), /the file is empty/],
    [workbookOf(rows.slice(0, 1)), /no records after the header row/],
  ] as const;
  await areRejected(t, files, 'staff.xlsx');
});

t.test('a ZIP bomb is rejected before it is decompressed', async (t) => {
  const tooLarge = { statedSize: 64 * 1024 * 1024 + 1 };
  const tooMuch = /has too much data/;
  const many = Array.from({ length: 5_001 }, (_, index) => ({ name: `${index}`, content: '' }));
  const files = [
    [withPart('xl/sharedStrings.xml', '<sst/>', tooLarge), tooMuch],
    [withPart('xl/styles.xml', '<styleSheet/>', tooLarge), tooMuch],
    [withPart(sheetPart, sheetOf(''), { statedSize: 300 * 1024 * 1024 }), tooMuch],
    // The stated size is smaller than the content.
    [withPart(sheetPart, sheetXml(rows, new Map()), { statedSize: 100 }), /damaged/],
    [withPart(sheetPart, sheetOf('<a>'.repeat(100) + '</a>'.repeat(100))), /damaged/],
    [
      withPart(sheetPart, sheetOf(`<a ${Array.from({ length: 201 }, (_, n) => `a${n}=""`).join(' ')}/>`)),
      /damaged/,
    ],
    [zipOf(many), /too many files/],
  ] as const;
  await areRejected(t, files, 'staff.xlsx');
});
