import path from 'node:path';
import { UnusableFileError } from '../lines.js';
import { type NumberFormat, numberFormat } from './cell-formats.js';
import type { RandomAccessFile } from './random-access-file.js';
import { maximumCellLength, readSheetRows, type SheetContext } from './sheet-rows.js';
import { damaged, WorkbookArchive } from './workbook-archive.js';
import { readXml } from './xml-parts.js';

/** Maximum bytes of decompressed parts. A sheet of 50 MB as CSV has about five times as many. */
const maximumSheetBytes = 256 * 1024 * 1024;
const maximumTextsBytes = 64 * 1024 * 1024;
/** Twice the rows of a sheet in Excel. */
const maximumTexts = 2_097_152;
const maximumOtherBytes = 8 * 1024 * 1024;

/** Characters of CSV that are written at a time. */
const pieceLength = 65_536;

/** The first visible sheet of a workbook, as CSV. */
interface WorkbookText {
  readonly sheet: string;
  /** CSV in UTF-8 with commas. Each line is the row with its number; a line break in a cell is a space. */
  readonly content: AsyncIterable<Uint8Array>;
}

/**
 * Opens an Excel workbook (`.xlsx`). Macros and links to other files are not read.
 *
 * @throws {UnusableFileError} when it is damaged, encrypted or has no sheet
 * @see ECMA-376
 */
export async function openWorkbook(file: RandomAccessFile): Promise<WorkbookText> {
  const archive = await WorkbookArchive.open(file);
  const main = await mainPart(archive);
  const { sheets, from1904 } = await readWorkbookPart(archive, main);
  const parts = await relationsOf(archive, main);
  const first = sheets.find(
    ({ isVisible, relation }) => isVisible && parts.get(relation)?.type === 'worksheet',
  );
  const part = parts.get(first?.relation ?? '')?.target;
  if (first === undefined || part === undefined)
    throw new UnusableFileError('the Excel workbook has no visible sheet with rows');
  const partOf = (type: string) => [...parts.values()].find((other) => other.type === type)?.target;
  const context = {
    texts: await readTexts(archive, partOf('sharedStrings')),
    formats: await readFormats(archive, partOf('styles')),
    from1904,
  };
  return { sheet: first.name, content: toCsv(archive.read(part, maximumSheetBytes), context) };
}

async function* toCsv(
  sheet: AsyncIterable<Uint8Array>,
  context: SheetContext,
): AsyncGenerator<Uint8Array, void, undefined> {
  let width = 0;
  let line = 1;
  let text = '';
  for await (const rows of readSheetRows(sheet, context)) {
    for (const { number, cells } of rows) {
      text += '\n'.repeat(number - line);
      line = number + 1;
      // The first row that is not empty is the header.
      if (width === 0) width = cells.length;
      const missing = cells.length === 0 ? 0 : Math.max(0, width - cells.length);
      text += `${cells.map(quote).join(',')}${','.repeat(missing)}\n`;
      if (text.length < pieceLength) continue;
      yield Buffer.from(text);
      text = '';
    }
  }
  if (text !== '') yield Buffer.from(text);
}

/** Quotes what would end a field, or could be taken for the delimiter of the file. */
function quote(value: string): string {
  return /[",;\t]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}

/** A reference of a part to another one. */
interface Relation {
  /** The last word of the type. */
  readonly type: string;
  /** Name of the other part in the archive. */
  readonly target: string;
}

/** The references of a part by id, except those to other files. */
async function relationsOf(archive: WorkbookArchive, part: string): Promise<ReadonlyMap<string, Relation>> {
  const { dir, base } = path.posix.parse(part);
  const relations = new Map<string, Relation>();
  await readXml(archive.read(path.posix.join(dir, '_rels', `${base}.rels`), maximumOtherBytes), {
    open(name, { Id = '', Type = '', Target = '', TargetMode }) {
      if (name !== 'Relationship' || TargetMode === 'External') return;
      const target = Target.startsWith('/') ? Target.slice(1) : path.posix.join(dir, Target);
      relations.set(Id, { type: path.posix.basename(Type), target });
    },
  });
  return relations;
}

/** The part that lists the sheets. */
async function mainPart(archive: WorkbookArchive): Promise<string> {
  if (!archive.has('_rels/.rels')) throw notExcel(archive);
  const relations = [...(await relationsOf(archive, '')).values()];
  const main = relations.find(({ type }) => type === 'officeDocument')?.target;
  if (main === undefined || !/^xl\//i.test(main) || !main.endsWith('.xml')) throw notExcel(archive);
  return main;
}

function notExcel(archive: WorkbookArchive): UnusableFileError {
  if (archive.has('xl/workbook.bin'))
    return new UnusableFileError('the file is a binary Excel workbook (.xlsb); save it as .xlsx');
  return new UnusableFileError(
    archive.has('mimetype')
      ? 'the file is not an Excel workbook; save it as .xlsx or “CSV UTF-8”'
      : 'the file is a ZIP archive and not an Excel workbook; upload the file in it',
  );
}

interface Sheet {
  readonly name: string;
  readonly relation: string;
  readonly isVisible: boolean;
}

async function readWorkbookPart(
  archive: WorkbookArchive,
  part: string,
): Promise<{ sheets: Sheet[]; from1904: boolean }> {
  const sheets: Sheet[] = [];
  let from1904 = false;
  await readXml(archive.read(part, maximumOtherBytes), {
    open(element, attributes) {
      if (element === 'workbookPr') from1904 = /^(1|true)$/.test(attributes.date1904 ?? '');
      if (element !== 'sheet') return;
      const { name = '', state = 'visible' } = attributes;
      const relation = Object.entries(attributes).find(([attribute]) => attribute.endsWith(':id'))?.[1] ?? '';
      sheets.push({ name, relation, isVisible: state === 'visible' });
    },
  });
  return { sheets, from1904 };
}

/** The texts that cells refer to by their position. */
async function readTexts(archive: WorkbookArchive, part: string | undefined): Promise<string[]> {
  const texts: string[] = [];
  if (part === undefined) return texts;
  let text = '';
  let isValue = false;
  // Phonetic texts repeat the value.
  let isPhonetic = false;
  const visitor = {
    open(name: string) {
      if (name === 'si') text = '';
      else if (name === 'rPh') isPhonetic = true;
      else if (name === 't') isValue = !isPhonetic;
    },
    text(piece: string) {
      if (isValue) text += piece;
      // Many cells can refer to one text.
      if (text.length > maximumCellLength) throw damaged();
    },
    close(name: string) {
      if (name === 't') isValue = false;
      else if (name === 'rPh') isPhonetic = false;
      else if (name === 'si' && texts.push(text) > maximumTexts) throw damaged();
    },
  };
  await readXml(archive.read(part, maximumTextsBytes), visitor);
  return texts;
}

/** The format of numbers for each style of a cell. */
async function readFormats(archive: WorkbookArchive, part: string | undefined): Promise<NumberFormat[]> {
  const formats: NumberFormat[] = [];
  if (part === undefined) return formats;
  const codes = new Map<string, string>();
  let isCellStyle = false;
  await readXml(archive.read(part, maximumOtherBytes), {
    open(name, { numFmtId = '0', formatCode }) {
      if (name === 'numFmt' && formatCode !== undefined) codes.set(numFmtId, formatCode);
      if (name === 'cellXfs') isCellStyle = true;
      if (name === 'xf' && isCellStyle) formats.push(numberFormat(Number(numFmtId), codes.get(numFmtId)));
    },
    close(name) {
      if (name === 'cellXfs') isCellStyle = false;
    },
  });
  return formats;
}
