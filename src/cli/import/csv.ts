import type { Line } from './lines.js';

/** A record of a CSV file: its fields, or what is wrong with it. */
export type CsvRecord = { readonly line: number } & (
  | { readonly fields: readonly string[]; readonly fault?: never }
  | { readonly fault: string; readonly fields?: never }
);

/** Characters in a record; one that is longer has a quote that nobody closed. */
const maximumRecordLength = 16_384;

/**
 * Reads CSV records. A quoted field may hold commas, doubled quotes and line breaks; empty lines are passed over.
 * Where the quoting is broken the first line of the record is refused and the next line begins a record, so that
 * one stray quote costs one line and not the rest of the file.
 *
 * @see RFC 4180 section 2
 */
export async function* readCsv(lines: AsyncIterable<Line>): AsyncGenerator<CsvRecord, void, undefined> {
  /** Lines of the record that is being read: its quotes do not come in pairs yet. */
  let open: Line[] = [];
  for await (const line of lines) {
    open.push(line);
    for (let complete = true; complete && open.length > 0; ) {
      const { record, rest } = takeRecord(open, false);
      if (record !== undefined) yield record;
      complete = rest.length < open.length;
      open = rest;
    }
  }
  while (open.length > 0) {
    const { record, rest } = takeRecord(open, true);
    if (record !== undefined) yield record;
    open = rest;
  }
}

interface Taken {
  readonly record?: CsvRecord;
  /** Lines that are still to be read; as many as before when the record is not complete. */
  readonly rest: Line[];
}

function takeRecord(lines: Line[], atEnd: boolean): Taken {
  const [first, ...others] = lines;
  if (first === undefined) return { rest: [] };
  const { number: line } = first;
  if (first.tooLong) return { record: { line, fault: 'the line is too long' }, rest: others };
  let text = '';
  let quotes = 0;
  for (const [index, { text: part }] of lines.entries()) {
    text += index === 0 ? part : `\n${part}`;
    quotes += countQuotes(part);
    if (quotes % 2 === 0) {
      const rest = lines.slice(index + 1);
      const content = text.endsWith('\r') ? text.slice(0, -1) : text;
      if (content === '') return { rest };
      const fields = splitFields(content);
      if (fields !== undefined) return { record: { line, fields }, rest };
      return { record: { line, fault: 'a quote is out of place' }, rest: others };
    }
    if (text.length > maximumRecordLength) break;
  }
  if (!atEnd && text.length <= maximumRecordLength) return { rest: lines };
  return { record: { line, fault: 'a quote is not closed' }, rest: others };
}

function countQuotes(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count += 1;
  return count;
}

/** A field with or without quotes, and the comma before the next one, or the end. */
const fieldPattern = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;

function splitFields(text: string): string[] | undefined {
  if (!text.includes('"')) return text.split(',');
  const fields: string[] = [];
  fieldPattern.lastIndex = 0;
  for (;;) {
    const match = fieldPattern.exec(text);
    if (match === null) return undefined;
    const [, quoted, plain = '', separator] = match;
    fields.push(quoted === undefined ? plain : quoted.replaceAll('""', '"'));
    if (separator === '') return fields;
  }
}
