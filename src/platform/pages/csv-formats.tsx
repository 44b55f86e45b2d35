import { formulaStarts } from '../database/cursor-csv.js';
import { invalidParameter } from '../problems/invalid-request.js';
import { violation } from '../problems/rule-texts.js';
import type { Fields } from './fields.js';
import type { CsvFile } from './page-context.js';
import { workbook, workbookType } from './workbook.js';

const byteOrderMark = Buffer.from('\u{feff}');
const apostrophe = Buffer.from("'");
const [quote, comma, lineFeed] = Buffer.from('",\n');
const formulaBytes: ReadonlySet<number> = new Set(Buffer.from([...formulaStarts].join('')));

/**
 * Converts a CSV table for Excel while it is sent: with a byte-order mark, without which Excel does not read UTF-8, and with
 * an apostrophe before each value that Excel would run as a formula. The values are chosen by others than the reader.
 */
export async function* excelCsv(
  chunks: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  const guard = new FormulaGuard();
  let mark = [byteOrderMark];
  for await (const chunk of chunks) {
    yield Buffer.concat([...mark, ...guard.pieces(chunk)]);
    mark = [];
  }
}

/** Marks values as text. A value can continue in the next chunk. */
class FormulaGuard {
  #isQuoted = false;
  /** Whether the next byte is the first one of a value, or the quotation mark before it. */
  #isStart = true;

  pieces(bytes: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    let from = 0;
    let [isQuoted, isStart] = [this.#isQuoted, this.#isStart];
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] as number;
      if (isStart && !(byte === quote && !isQuoted)) {
        isStart = false;
        if (formulaBytes.has(byte)) {
          pieces.push(bytes.subarray(from, index), apostrophe);
          from = index;
        }
      }
      if (byte === quote) isQuoted = !isQuoted;
      else if (!isQuoted && (byte === comma || byte === lineFeed)) isStart = true;
    }
    [this.#isQuoted, this.#isStart] = [isQuoted, isStart];
    pieces.push(bytes.subarray(from));
    return pieces;
  }
}

/** A value of a row as `csvLine` writes it, and the comma or LF that ends it. */
const csvValue = /(?:"([^"]*(?:""[^"]*)*)"|([^",\n]*))([,\n])/gy;

/** Reads the rows of a CSV table. A row can continue in the next chunk. */
async function* csvRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[][], void, undefined> {
  const decoder = new TextDecoder();
  let unread = '';
  for await (const chunk of chunks) {
    const text = unread + decoder.decode(chunk, { stream: true });
    const rows: string[][] = [];
    let row: string[] = [];
    let read = 0;
    for (const { index, 0: matched, 1: quoted, 2: plain = '', 3: end } of text.matchAll(csvValue)) {
      row.push(quoted?.replaceAll('""', '"') ?? plain);
      if (end !== '\n') continue;
      rows.push(row);
      row = [];
      read = index + matched.length;
    }
    unread = text.slice(read);
    yield rows;
  }
}

/** Converts a CSV table to an Excel workbook while it is sent. Errors before the first rows are thrown before the first bytes. */
async function* excelWorkbook(
  chunks: AsyncGenerator<Buffer, void, undefined>,
): AsyncGenerator<Buffer, void, undefined> {
  const rows = csvRows(chunks);
  const first = await rows.next();
  async function* all() {
    if (first.done !== true) yield first.value;
    yield* rows;
  }
  try {
    yield* workbook('Table', all());
  } finally {
    await rows.return();
  }
}

/** The formats of a table, by the value of the parameter `format`. */
const formats = {
  excel: { extension: '-excel.csv', convert: excelCsv },
  xlsx: { extension: '.xlsx', mediaType: workbookType, convert: excelWorkbook },
} as const;

/** URL of the same table as CSV for Excel, or as an Excel workbook. */
export function excelAddress(address: string, format: keyof typeof formats = 'excel'): string {
  return `${address}${address.includes('?') ? '&' : '?'}format=${format}`;
}

/**
 * The table in the format that the query names; CSV without one. A file that is no CSV table is returned unchanged.
 *
 * @throws {Problem} 400 `invalid_request` for an unknown format
 */
export function inRequestedFormat(file: CsvFile, query: Fields): CsvFile {
  const format = query.text('format');
  if (format === '' || file.mediaType !== undefined) return file;
  if (format !== 'excel' && format !== 'xlsx') throw invalidParameter('format', violation('excel_or_absent'));
  const { extension, convert, ...type } = formats[format];
  return {
    fileName: file.fileName.replace(/\.csv$/, extension),
    ...type,
    make: (signal) => convert(file.make(signal)),
  };
}

/** States which of the two files is for Excel. */
export function CsvHint() {
  return (
    <p class="hint">
      Open “CSV for Excel” in Excel: letters such as é and 李 are shown correctly, and no value runs as a
      formula. The other CSV is for programs and imports.
    </p>
  );
}
