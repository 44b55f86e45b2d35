import { isObject } from '../../../platform/contract/outside-text.js';
import { withCustomMembers } from '../../employees/index.js';
import { type Delimiter, detectDelimiter, hasOddQuotes, maximumRecordLength, readCsv } from '../csv.js';
import { headerNames, rowError } from '../csv-entries.js';
import { readJsonEntries } from '../json-entries.js';
import { splitLines, UnusableFileError } from '../lines.js';
import { type FileFormat, maximumColumns } from './upload-state.js';

/** Rows that a preview shows. */
const previewRows = 10;

/** Records among which the rows of a preview are. */
const previewRecords = 1_000;

/** Characters of a value that a preview shows. */
const maximumLength = 100;

/** Characters of a row that a preview shows. */
const maximumRowLength = 2_000;

/** The structure and the first rows of a file. */
export interface FilePreview {
  readonly format: FileFormat;
  readonly delimiter: Delimiter | null;
  /** The names of the header, or the members of the first objects. */
  readonly columns: readonly string[];
  /** A value for each column; shortened. */
  readonly rows: readonly (readonly string[])[];
}

/**
 * Reads the start of a file.
 *
 * @param sample first bytes of the file
 * @param isWhole whether they are the whole file
 * @param format default: recognized from the content
 * @throws {UnusableFileError} when the file cannot be imported
 */
export async function previewFile(
  sample: Buffer,
  { isWhole, format }: { isWhole: boolean; format: FileFormat | null },
): Promise<FilePreview> {
  // The last line is incomplete.
  const end = isWhole ? sample.length : sample.lastIndexOf(0x0a) + 1;
  const bytes = sample.subarray(0, end);
  if (sample.length === 0) throw new UnusableFileError('the file is empty');
  if (bytes.includes(0))
    throw new UnusableFileError('the file must be text without NUL characters, or an Excel workbook (.xlsx)');
  if (bytes.length === 0) throw new UnusableFileError('the first line is too long');
  const first = await firstText(bytes);
  const isJson = format === 'jsonl' || (format === null && first.trimStart().startsWith('{'));
  return isJson ? await previewJson(bytes) : await previewCsv(bytes, detectDelimiter(first));
}

/** The first line that is not blank, with those after it to which a quoted line break continues. */
async function firstText(bytes: Uint8Array): Promise<string> {
  let first: string | undefined;
  let record = '';
  for await (const lines of splitLines([bytes])) {
    for (const { text } of lines) {
      if (first === undefined && text.trim() === '') continue;
      first ??= text;
      record += `${text}\n`;
      if (!hasOddQuotes(record)) return record;
      if (record.length > maximumRecordLength) return first;
    }
  }
  if (first === undefined) throw new UnusableFileError('the file is empty');
  return first;
}

async function previewCsv(bytes: Uint8Array, delimiter: Delimiter): Promise<FilePreview> {
  let columns: readonly string[] | undefined;
  let records = 0;
  const rows: string[][] = [];
  for await (const batch of readCsv(splitLines([bytes]), delimiter)) {
    for (const { line, fields, error } of batch) {
      if (columns === undefined) {
        if (fields === undefined) throw new UnusableFileError(`line ${line}: ${error}`);
        columns = checkNames(headerNames(fields));
        continue;
      }
      records += 1;
      if (fields !== undefined && rows.length < previewRows && rowError(columns, fields) === undefined)
        rows.push(shortenAll(fields.slice(0, columns.length)));
    }
    if (rows.length === previewRows || records >= previewRecords) break;
  }
  if (columns === undefined || records === 0)
    throw new UnusableFileError('the file has no records after the header row');
  return { format: 'csv', delimiter, columns, rows };
}

async function previewJson(bytes: Uint8Array): Promise<FilePreview> {
  const objects: Readonly<Record<string, unknown>>[] = [];
  let records = 0;
  let rejected = '';
  for await (const batch of readJsonEntries(splitLines([bytes]))) {
    for (const { line, value, error } of batch) {
      if (error !== undefined && rejected === '') rejected = `; line ${line}: ${error}`;
      if (isObject(value)) objects.push(withCustomMembers(value));
    }
    records += batch.length;
    if (objects.length >= previewRows || records >= previewRecords) break;
  }
  if (objects.length === 0)
    throw new UnusableFileError(`no line of the start of the file is a JSON object${rejected}`);
  const shown = objects.slice(0, previewRows);
  const columns = checkNames([...new Set(shown.flatMap((object) => Object.keys(object)))]);
  const rows = shown.map((object) => shortenAll(memberTexts(object, columns)));
  return { format: 'jsonl', delimiter: null, columns, rows };
}

/** The members of an object as texts. Absent members are empty. */
export function memberTexts(object: Readonly<Record<string, unknown>>, names: readonly string[]): string[] {
  return names.map((name) => {
    const value = Object.hasOwn(object, name) ? object[name] : null;
    if (value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  });
}

/** @throws {UnusableFileError} when names cannot be stored or are too many */
function checkNames(names: readonly string[]): readonly string[] {
  if (names.length > maximumColumns)
    throw new UnusableFileError(
      `the file has ${names.length} columns; at most ${maximumColumns} are supported`,
    );
  if (names.some((name) => name.includes('\uFFFD')))
    throw new UnusableFileError(
      'the names of the columns have damaged characters; save the file as “CSV UTF-8”',
    );
  if (names.some((name) => name.includes('\0') || !name.isWellFormed()))
    throw new UnusableFileError('the names of the columns must be valid Unicode without NUL characters');
  return names;
}

/** The values with at most so many characters each, and in the row; without characters that cannot be stored. */
export function shortenAll(
  values: readonly string[],
  { value, row }: { value: number; row: number } = { value: maximumLength, row: maximumRowLength },
): string[] {
  const maximum = Math.min(value, Math.floor(row / values.length));
  return values.map((value) => shorten(value.replaceAll('\0', '\uFFFD'), maximum));
}

/** The text, or its first characters and an ellipsis. */
export function shorten(text: string, maximum: number): string {
  const storable = text.toWellFormed();
  return storable.length <= maximum ? storable : `${storable.slice(0, maximum).toWellFormed()}…`;
}
