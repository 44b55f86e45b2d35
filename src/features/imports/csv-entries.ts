import type { RecordMember } from '../employees/index.js';
import { type Delimiter, readCsv } from './csv.js';
import { nameCustomColumns, requiredIn } from './custom-columns.js';
import { type DateFormat, dateNames, readDate } from './dates.js';
import { type Entry, type Line, UnusableFileError } from './lines.js';

interface CsvOptions {
  readonly delimiter?: Delimiter | undefined;
  readonly columns?: readonly string[];
  readonly dateFormatOf?: (column: number) => DateFormat;
}

/**
 * Reads a CSV file with a header row of attribute names in any order, or of labels or keys for custom attributes. An empty field
 * counts as missing if the attribute is required, and is `null` otherwise.
 *
 * @param delimiter between the columns; default: recognized from the header
 * @param columns the attribute of each column, instead of the names in the header; empty: the column is ignored
 * @param dateFormatOf how a column writes dates; default: the year first
 * @throws {UnusableFileError} when the header has an unknown name, a name twice, or lacks a required attribute
 */
export async function* readCsvEntries(
  lines: AsyncIterable<readonly Line[]>,
  attributes: readonly RecordMember[],
  { delimiter, columns, dateFormatOf = () => 'ymd' }: CsvOptions = {},
): AsyncGenerator<readonly Entry[], void, undefined> {
  const options = {
    required: new Set(attributes.filter(({ required }) => required).map(({ name }) => name)),
    dates: dateNames(attributes),
    dateFormatOf,
  };
  let header: readonly string[] | undefined;
  for await (const records of readCsv(lines, delimiter)) {
    const entries: Entry[] = [];
    for (const { line, fields, error, text } of records) {
      if (header === undefined) {
        if (fields === undefined) throw new UnusableFileError(`line ${line}: ${error}`);
        header = columns ?? nameCustomColumns(headerNames(fields), attributes);
        if (columns === undefined) checkHeader(header, attributes);
      } else if (fields === undefined) {
        entries.push({ line, error, source: text });
      } else {
        const error = rowError(header, fields);
        entries.push(
          error === undefined
            ? { line, source: fields, value: toObject(header, fields, options) }
            : { line, source: fields, error },
        );
      }
    }
    yield entries;
  }
  if (header === undefined)
    throw new UnusableFileError('the file must not be empty: the first line is the header row');
}

/** The names of columns. Spreadsheets add empty columns at the end. */
export function headerNames(fields: readonly string[]): string[] {
  const names = fields.map((name) => name.trim());
  return names.slice(0, names.findLastIndex((name) => name !== '') + 1);
}

/** Values of cells with an error, as Excel writes them. */
const cellError = /^#(?:N\/A|REF!|VALUE!|DIV\/0!|NAME\?|NULL!|NUM!|SPILL!|CALC!)$/;

/** Why a row cannot be read. Empty fields after those of the header are ignored. */
export function rowError(header: readonly string[], fields: readonly string[]): string | undefined {
  const { length } = header;
  if (fields.length < length || fields.slice(length).some((field) => field.trim() !== ''))
    return `has ${fields.length} fields where the header has ${length}`;
  const failed = fields.find(
    (field, index) => field.startsWith('#') && header[index] && cellError.test(field),
  );
  return failed === undefined ? undefined : `has a cell with the error ${failed}; correct it in Excel`;
}

/** Characters of the header that are repeated in an error. */
const maximumEcho = 200;

function checkHeader(header: readonly string[], attributes: readonly RecordMember[]): void {
  const names = attributes.map(({ name }) => name);
  const missing = requiredIn(attributes).filter((members) =>
    members.every(({ name }) => !header.includes(name)),
  );
  const seen = new Set<string>();
  const repeated = header.filter((name) => seen.size === seen.add(name).size);
  const errors = [
    ['has the unknown columns', header.filter((name) => !names.includes(name))],
    ['lacks the columns', missing.map((members) => members.map(({ name }) => name).join(' or '))],
    ['repeats the columns', repeated],
  ] as const;
  const found = errors
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${names.join(', ').slice(0, maximumEcho)}`);
  if (found.length === 0) return;
  const expected = `expected are ${names.join(', ')}, with commas, semicolons or tabs between them`;
  throw new UnusableFileError(`the header ${found.join(' and ')}; ${expected}`);
}

function toObject(
  header: readonly string[],
  fields: readonly string[],
  {
    required,
    dates,
    dateFormatOf,
  }: Required<Pick<CsvOptions, 'dateFormatOf'>> & Record<'required' | 'dates', ReadonlySet<string>>,
): Record<string, string | null> {
  const value: Record<string, string | null> = {};
  for (const [index, name] of header.entries()) {
    const field = fields[index];
    if (name === '') continue;
    if (field !== undefined && field !== '')
      value[name] = dates.has(name) ? (readDate(field, dateFormatOf(index)) ?? field) : field;
    else if (!required.has(name)) value[name] = null;
  }
  return value;
}
