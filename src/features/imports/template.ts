import { recordMembers } from '../employees/index.js';

const labels = recordMembers.map(({ label }) => label);

/** Media type of Excel workbooks. */
export const workbookType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** A CSV file with the names of all columns. */
export function csvTemplate(): Buffer {
  return Buffer.from(`${labels.join(',')}\r\n`);
}

const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const officeRelations = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const packageRelations = 'http://schemas.openxmlformats.org/package/2006/relationships';
const packageTypes = 'http://schemas.openxmlformats.org/package/2006/content-types';
const mediaTypes = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** The smallest workbook that Excel opens. @see ECMA-376 part 1 */
const parts: Readonly<Record<string, string>> = {
  '[Content_Types].xml': `<Types xmlns="${packageTypes}"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/xl/workbook.xml" ContentType="${mediaTypes}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${mediaTypes}.worksheet+xml"/></Types>`,
  '_rels/.rels': relation('officeDocument', 'xl/workbook.xml'),
  'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${officeRelations}"><sheets><sheet name="Employees" sheetId="1" r:id="rId1"/></sheets></workbook>`,
  'xl/_rels/workbook.xml.rels': relation('worksheet', 'worksheets/sheet1.xml'),
  'xl/worksheets/sheet1.xml': `<worksheet xmlns="${main}"><cols><col min="1" max="${labels.length}" width="22" customWidth="1"/></cols><sheetData><row r="1">${labels.map(cell).join('')}</row></sheetData></worksheet>`,
};

function relation(type: string, target: string): string {
  return `<Relationships xmlns="${packageRelations}"><Relationship Id="rId1" Type="${officeRelations}/${type}" Target="${target}"/></Relationships>`;
}

function cell(label: string): string {
  return `<c t="inlineStr"><is><t>${label.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</t></is></c>`;
}

/** An Excel workbook with the names of all columns. */
export async function* workbookTemplate(): AsyncGenerator<Buffer, void, undefined> {
  const { ZipFile } = await import('yazl');
  const zip = new ZipFile();
  for (const [name, content] of Object.entries(parts))
    zip.addBuffer(Buffer.from(`${declaration}${content}`), name, {
      mtime: new Date(0),
      forceDosTimestamp: true,
    });
  zip.end();
  yield* zip.outputStream as unknown as AsyncIterable<Buffer>;
}
