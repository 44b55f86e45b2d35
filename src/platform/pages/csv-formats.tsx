import { csvLine, formulaStarts } from '../database/cursor-csv.js';
import { invalidParameter } from '../problems/invalid-request.js';
import { violation } from '../problems/rule-texts.js';
import type { Fields } from './fields.js';
import type { CsvFile } from './page-context.js';
import { withQuery } from './paths.js';
import { workbook, workbookType } from './workbook.js';

const byteOrderMark = Buffer.from('\u{feff}');
const apostrophe = Buffer.from("'");
const [quote, comma, lineFeed] = Buffer.from('",\n');
const quotationMark = Buffer.from('"');
const semicolon = Buffer.from(';');
const formulaBytes: ReadonlySet<number> = new Set(Buffer.from([...formulaStarts].join('')));

/**
 * Converts a CSV table for Excel while it is sent: with a byte-order mark, without which Excel does not read UTF-8, with the
 * given separator, and with an apostrophe before each value that Excel would run as a formula. The values are chosen by others
 * than the reader.
 */
export async function* excelCsv(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  separator: ExcelSeparator,
): AsyncGenerator<Buffer, void, undefined> {
  const converter = new ExcelValues(separator === ';');
  let mark = [byteOrderMark];
  for await (const chunk of chunks) {
    yield Buffer.concat([...mark, ...converter.pieces(chunk)]);
    mark = [];
  }
}

/** Separators of values that Excel opens as columns: it expects the one of its language. */
export type ExcelSeparator = ',' | ';';

/**
 * The separator that Excel expects: a semicolon where numbers have a decimal comma.
 *
 * @param languages language tags in the form of `Accept-Language`; the first one that is a language counts
 */
export function excelSeparator(languages?: string): ExcelSeparator {
  return hasDecimalComma(languages) ? ';' : ',';
}

/** Whether numbers have a decimal comma in the first language of a list. Other texts are skipped. */
function hasDecimalComma(languages = ''): boolean {
  for (const range of languages.split(',')) {
    const [language = ''] = range.split(';', 1);
    try {
      // Profiles also have tags such as `de_DE`.
      const [known] = Intl.NumberFormat.supportedLocalesOf(language.trim().replaceAll('_', '-'));
      if (known !== undefined) return new Intl.NumberFormat(known).format(0.5).includes(',');
    } catch {
      // Not a language tag.
    }
  }
  return false;
}

/** Marks values as text, and separates them by semicolons on request. A value can continue in the next chunk. */
class ExcelValues {
  readonly #semicolons: boolean;
  #isQuoted = false;
  /** Whether the next byte is the first one of a value, or the quotation mark before it. */
  #isStart = true;
  /** Whether the value is quoted only here. */
  #isOpen = false;

  constructor(semicolons: boolean) {
    this.#semicolons = semicolons;
  }

  pieces(bytes: Buffer): Buffer[] {
    const pieces: Buffer[] = [];
    let from = 0;
    let [isQuoted, isStart, isOpen] = [this.#isQuoted, this.#isStart, this.#isOpen];
    /** Replaces a number of bytes at a position. */
    const put = (at: number, replaced: number, ...inserted: Buffer[]) => {
      pieces.push(bytes.subarray(from, at), ...inserted);
      from = at + replaced;
    };
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] as number;
      const isEnd = !isQuoted && (byte === comma || byte === lineFeed);
      if (isStart && !(byte === quote && !isQuoted)) {
        isStart = false;
        // With semicolons, a value that has one must be quoted. It is not known before its end, so that all others are quoted.
        if (this.#semicolons && !isQuoted && !isEnd) {
          put(index, 0, quotationMark);
          isOpen = true;
        }
        if (formulaBytes.has(byte)) put(index, 0, apostrophe);
      }
      if (byte === quote) isQuoted = !isQuoted;
      if (!isEnd) continue;
      isStart = true;
      if (isOpen) put(index, 0, quotationMark);
      isOpen = false;
      if (this.#semicolons && byte === comma) put(index, 1, semicolon);
    }
    [this.#isQuoted, this.#isStart, this.#isOpen] = [isQuoted, isStart, isOpen];
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

/** Formats rows, except the header line, in the batches in which they are read. */
async function* formatted(
  batches: AsyncIterable<string[][]>,
  format: NonNullable<CsvFile['shownRows']>,
): AsyncGenerator<string[][], void, undefined> {
  let headers = 1;
  for await (const batch of batches) {
    const header = batch.slice(0, headers);
    const rows = batch.slice(headers);
    headers -= header.length;
    yield [...header, ...(rows.length > 0 ? await format(rows) : [])];
  }
}

/** Converts a CSV table to an Excel workbook while it is sent. Errors before the first rows are thrown before the first bytes. */
async function* excelWorkbook(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  shownRows?: CsvFile['shownRows'],
): AsyncGenerator<Buffer, void, undefined> {
  const read = csvRows(chunks);
  const rows = shownRows === undefined ? read : formatted(read, shownRows);
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

/** Replaces the header line, whose names have no line feed. */
async function* withLabels(
  chunks: AsyncGenerator<Buffer, void, undefined>,
  labels: readonly string[],
): AsyncGenerator<Buffer, void, undefined> {
  let header = csvLine(labels);
  for await (const chunk of chunks) {
    const start = header === '' ? 0 : chunk.indexOf('\n') + 1;
    // The line continues in the next chunk.
    if (header !== '' && start === 0) continue;
    yield Buffer.concat([Buffer.from(header), chunk.subarray(start)]);
    header = '';
  }
}

/** The formats of a table, by the value of the parameter `format`. */
const formats = {
  excel: { extension: '-excel.csv' },
  xlsx: { extension: '.xlsx', mediaType: workbookType },
} as const;

/** URL of the same table as CSV for Excel, or as an Excel workbook. */
export function excelAddress(address: string, format: keyof typeof formats = 'excel'): string {
  return withQuery(address, `format=${format}`);
}

/**
 * The table in the format that the query names; CSV without one. A file that is no CSV table is returned unchanged.
 *
 * @param languages as for {@link excelSeparator}
 * @throws {Problem} 400 `invalid_request` for an unknown format
 */
export function inRequestedFormat(file: CsvFile, query: Fields, languages?: string): CsvFile {
  const format = query.text('format');
  if (format === '' || file.mediaType !== undefined) return file;
  if (format !== 'excel' && format !== 'xlsx') throw invalidParameter('format', violation('excel_or_absent'));
  const { extension, ...type } = formats[format];
  const { fileName, labels, shownRows, make } = file;
  return {
    fileName: fileName.replace(/\.csv$/, extension),
    ...type,
    make: (signal) => {
      const table = make(signal);
      const labelled = labels === undefined ? table : withLabels(table, labels);
      return format === 'xlsx'
        ? excelWorkbook(labelled, shownRows)
        : excelCsv(labelled, excelSeparator(languages));
    },
  };
}

/** States which of the two files is for Excel. */
export function CsvHint() {
  return (
    <p class="hint">
      Open “CSV for Excel” in Excel: letters such as ü are shown correctly, and no value runs as a formula.
      The other CSV is for programs and imports.
    </p>
  );
}
