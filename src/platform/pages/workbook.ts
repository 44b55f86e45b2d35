import { Readable } from 'node:stream';

/** Media type of Excel workbooks. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Rows of a sheet, in batches. The first row has the headings. */
type WorkbookRows = AsyncIterable<readonly (readonly (string | null)[])[]>;

/** Rows that Excel reads. */
const maximumRows = 1_048_576;

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeRelations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const packageTypes = 'http://schemas.openxmlformats.org/package/2006/content-types';
const mediaTypes = 'application/vnd.openxmlformats-officedocument.spreadsheetml';
const entryOptions = { mtime: new Date(0), forceDosTimestamp: true };

function relation(type: string, target: string): string {
  return `${declaration}<Relationships xmlns="${packageRelations}"><Relationship Id="rId1" Type="${officeRelations}/${type}" Target="${target}"/></Relationships>`;
}

/** The parts of the smallest workbook that Excel opens, without its sheet. @see ECMA-376 part 1 */
function parts(sheet: string): Readonly<Record<string, string>> {
  return {
    '[Content_Types].xml': `${declaration}<Types xmlns="${packageTypes}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${mediaTypes}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${mediaTypes}.worksheet+xml"/></Types>`,
    '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
    'xl/workbook.xml': `${declaration}<workbook xmlns="${main}" xmlns:r="${officeRelations}"><sheets><sheet name="${escaped(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
  };
}

/**
 * Yields an Excel workbook with one sheet while its rows are read. All cells are texts: Excel computes no formula. The heading
 * stays visible while the rows scroll.
 *
 * @param sheet name of the sheet, at most 31 characters
 * @throws {RangeError} when there are more rows than Excel reads
 */
export async function* workbook(sheet: string, rows: WorkbookRows): AsyncGenerator<Buffer, void, undefined> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  const output = zip.outputStream as Readable;
  const content = Readable.from(sheetXml(rows), { objectMode: false });
  content.on('error', (error) => output.destroy(error));
  for (const [name, part] of Object.entries(parts(sheet)))
    zip.addBuffer(Buffer.from(part), name, entryOptions);
  zip.addReadStream(content, 'xl/worksheets/sheet1.xml', entryOptions);
  zip.end();
  try {
    yield* output as AsyncIterable<Buffer>;
  } finally {
    content.destroy();
  }
}

async function* sheetXml(rows: WorkbookRows): AsyncGenerator<Buffer, void, undefined> {
  let number = 0;
  for await (const batch of rows) {
    let xml = '';
    for (const row of batch) {
      number += 1;
      if (number > maximumRows) throw new RangeError(`A sheet has at most ${maximumRows} rows`);
      if (number === 1) xml += sheetStart(row.length);
      xml += `<row r="${number}">${row.map(cellXml).join('')}</row>`;
    }
    yield Buffer.from(xml);
  }
  yield Buffer.from(`${number === 0 ? sheetStart(1) : ''}</sheetData></worksheet>`);
}

function sheetStart(columns: number): string {
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>';
  return `${declaration}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews><cols><col min="1" max="${columns}" width="22" customWidth="1"/></cols><sheetData>`;
}

/** A cell without a reference follows the one before it, so that an empty one is needed too. */
function cellXml(text: string | null): string {
  if (text === null || text === '') return '<c/>';
  return `<c t="inlineStr"><is><t xml:space="preserve">${escaped(text)}</t></is></c>`;
}

/** Characters that XML does not have. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that are replaced
const notXml = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

function escaped(text: string): string {
  return (
    text
      .replaceAll(notXml, '\ufffd')
      // Excel reads these as an encoded character.
      .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
      .replaceAll('&', '&amp;')
      .replaceAll('<', '&lt;')
      .replaceAll('>', '&gt;')
      .replaceAll('"', '&quot;')
      // A parser would read a CR as LF.
      .replaceAll('\r', '&#13;')
  );
}
