import { type ZipEntry, zipOf } from './zip.js';

/** A cell: a text, a number, or an element as the sheet has it. `null`: no cell. */
export type Cell = string | number | null | { readonly xml: string } | Dated;

/** A day number of Excel that is shown as a date. */
interface Dated {
  readonly serial: number;
}

const namespace = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const relationshipTypes = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const declaration = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** Index of the style for dates. */
const dateStyle = 1;

/** Index of the style for numbers with five digits. */
export const fiveDigits = 2;

export interface WorkbookOptions {
  readonly sheetName?: string;
  /** XML of the sheets in the list of the workbook. */
  readonly sheets?: string;
  readonly from1904?: boolean;
  /** Parts that replace those of the workbook, or are added; `null`: the part is omitted. */
  readonly parts?: Readonly<Record<string, Omit<ZipEntry, 'name'> | null>>;
}

/** An Excel workbook with one sheet, as Excel writes it. */
export function workbookOf(rows: readonly (readonly Cell[])[], options: WorkbookOptions = {}): Buffer {
  const { sheetName = 'Tabelle1', from1904 = false, parts = {} } = options;
  const texts = new Map<string, number>();
  const sheet = sheetXml(rows, texts);
  const sheets = options.sheets ?? `<sheet name="${sheetName}" sheetId="1" r:id="rId1"/>`;
  const contents: Record<string, Omit<ZipEntry, 'name'> | null> = {
    '[Content_Types].xml': { content: `${declaration}<Types/>` },
    '_rels/.rels': { content: relationships([['rId1', 'officeDocument', 'xl/workbook.xml']]) },
    'xl/workbook.xml': {
      content: `${declaration}<workbook ${namespace} xmlns:r="${relationshipTypes}"><workbookPr${
        from1904 ? ' date1904="1"' : ''
      }/><sheets>${sheets}</sheets></workbook>`,
    },
    'xl/_rels/workbook.xml.rels': {
      content: relationships([
        ['rId1', 'worksheet', 'worksheets/sheet1.xml'],
        ['rId2', 'styles', 'styles.xml'],
        ['rId3', 'sharedStrings', 'sharedStrings.xml'],
      ]),
    },
    'xl/styles.xml': {
      content: `${declaration}<styleSheet ${namespace}><numFmts><numFmt numFmtId="164" formatCode="00000"/></numFmts><cellStyleXfs><xf numFmtId="0"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
    },
    'xl/worksheets/sheet1.xml': { content: sheet },
    'xl/sharedStrings.xml': {
      content: `${declaration}<sst ${namespace}>${[...texts.keys()].map((text) => `<si><t xml:space="preserve">${escapeXml(text)}</t></si>`).join('')}</sst>`,
    },
    ...parts,
  };
  return zipOf(
    Object.entries(contents).flatMap(([name, part]) => (part === null ? [] : [{ name, ...part }])),
  );
}

/** XML of a sheet; texts are added to those of the workbook. */
export function sheetXml(rows: readonly (readonly Cell[])[], texts: Map<string, number>): string {
  const written = rows.map((cells, row) => {
    const elements = cells.map((cell, column) => cellXml(cell, `${columnName(column)}${row + 1}`, texts));
    return `<row r="${row + 1}">${elements.join('')}</row>`;
  });
  return `${declaration}<worksheet ${namespace}><sheetData>${written.join('')}</sheetData></worksheet>`;
}

function cellXml(cell: Cell, reference: string, texts: Map<string, number>): string {
  if (cell === null) return '';
  if (typeof cell === 'number') return `<c r="${reference}"><v>${cell}</v></c>`;
  if (typeof cell === 'string') {
    const index = texts.get(cell) ?? texts.size;
    texts.set(cell, index);
    return `<c r="${reference}" t="s"><v>${index}</v></c>`;
  }
  return 'serial' in cell
    ? `<c r="${reference}" s="${dateStyle}"><v>${cell.serial}</v></c>`
    : cell.xml.replace('<c', `<c r="${reference}"`);
}

function columnName(column: number): string {
  return String.fromCharCode(65 + column);
}

function relationships(given: readonly (readonly [string, string, string])[]): string {
  const elements = given.map(
    ([id, type, target]) =>
      `<Relationship Id="${id}" Type="${relationshipTypes}/${type}" Target="${target}"/>`,
  );
  return `${declaration}<Relationships>${elements.join('')}</Relationships>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
