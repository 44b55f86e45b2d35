import { UnusableFileError } from '../lines.js';
import { type NumberFormat, shownNumber } from './cell-formats.js';
import { damaged } from './workbook-archive.js';
import { visitXml, type XmlVisitor } from './xml-parts.js';

/** Size of a sheet in Excel. */
const maximumRows = 1_048_576;
const maximumColumns = 16_384;

/** Columns with values: a row is kept with its empty cells, so that one cell far to the right would take much memory. */
const maximumUsedColumns = 1_000;

/** Characters of a cell in Excel. */
export const maximumCellLength = 32_767;

/** What the cells of a sheet refer to. */
export interface SheetContext {
  readonly texts: readonly string[];
  /** The format of the number for each style. */
  readonly formats: readonly NumberFormat[];
  readonly from1904: boolean;
}

/** A row with its texts. Cells that are empty at the end are omitted. */
interface SheetRow {
  /** Counted from 1. */
  readonly number: number;
  readonly cells: readonly string[];
}

/**
 * Reads the rows of a sheet while it arrives, in batches that can be empty. A formula is never evaluated: its cell has the
 * result that Excel stored.
 *
 * @throws {UnusableFileError} when the sheet is damaged, or a formula has no stored result
 */
export async function* readSheetRows(
  part: AsyncIterable<Uint8Array>,
  context: SheetContext,
): AsyncGenerator<readonly SheetRow[], void, undefined> {
  const reader = new RowReader(context);
  for await (const _ of visitXml(part, reader)) yield reader.take();
  if (!reader.isComplete) throw damaged();
}

class RowReader implements XmlVisitor {
  readonly #context: SheetContext;
  #rows: SheetRow[] = [];
  #rowNumber = 0;
  #cells: string[] = [];
  #column = 0;
  #type = '';
  #style = 0;
  #hasFormula = false;
  #value = '';
  /** Whether the text belongs to the value of the cell. */
  #inValue = false;
  /** Phonetic texts repeat the value. */
  #inPhonetic = false;
  isComplete = false;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  take(): readonly SheetRow[] {
    const rows = this.#rows;
    this.#rows = [];
    return rows;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (name === 'row') this.#openRow(attributes);
    else if (name === 'c') this.#openCell(attributes);
    else if (name === 'f') this.#hasFormula = true;
    else if (name === 'rPh') this.#inPhonetic = true;
    else if (name === 'v' || name === 't') this.#inValue = !this.#inPhonetic;
  }

  text(text: string): void {
    if (!this.#inValue) return;
    this.#value += text;
    if (this.#value.length > maximumCellLength) throw damaged();
  }

  close(name: string): void {
    if (name === 'v' || name === 't') this.#inValue = false;
    else if (name === 'rPh') this.#inPhonetic = false;
    else if (name === 'c') this.#closeCell();
    else if (name === 'row') this.#closeRow();
    else if (name === 'sheetData') this.isComplete = true;
  }

  #openRow({ r }: Readonly<Record<string, string>>): void {
    const number = r === undefined ? this.#rowNumber + 1 : Number(r);
    if (!Number.isInteger(number) || number <= this.#rowNumber || number > maximumRows) throw damaged();
    this.#rowNumber = number;
    this.#cells = [];
    this.#column = 0;
  }

  #openCell({ r, t = 'n', s = '0' }: Readonly<Record<string, string>>): void {
    const column = r === undefined ? this.#column + 1 : columnOf(r);
    if (column <= this.#column || column > maximumColumns) throw damaged();
    this.#column = column;
    this.#type = t;
    this.#style = Number(s);
    this.#hasFormula = false;
    this.#value = '';
  }

  #closeCell(): void {
    if (this.#hasFormula && this.#value === '' && this.#type !== 'str')
      throw new UnusableFileError(
        `row ${this.#rowNumber} has a formula without its result; open the workbook in Excel and save it`,
      );
    const text = this.#cellText().replaceAll(/(?:_x000[AD]_|[\r\n])+/gi, ' ');
    if (text === '') return;
    if (this.#column > maximumUsedColumns)
      throw new UnusableFileError(
        `row ${this.#rowNumber} has more than 1,000 columns; delete the values beside the table`,
      );
    while (this.#cells.length < this.#column - 1) this.#cells.push('');
    this.#cells.push(text);
  }

  #cellText(): string {
    const value = this.#value;
    const { texts, formats, from1904 } = this.#context;
    switch (this.#type) {
      case 's': {
        const text = texts[Number(value)];
        if (text === undefined) throw damaged();
        return text;
      }
      case 'b':
        return value === '1' ? 'TRUE' : 'FALSE';
      case 'n':
        return value === '' ? '' : shownNumber(value, formats[this.#style] ?? 'general', from1904);
      default:
        return value;
    }
  }

  #closeRow(): void {
    this.#rows.push({ number: this.#rowNumber, cells: this.#cells });
  }
}

/** The number of the column of a cell: 28 for `AB3`. */
function columnOf(reference: string): number {
  const letters = /^([A-Z]{1,3})\d+$/.exec(reference)?.[1];
  if (letters === undefined) throw damaged();
  let column = 0;
  for (const letter of letters) column = column * 26 + letter.charCodeAt(0) - 64;
  return column;
}
