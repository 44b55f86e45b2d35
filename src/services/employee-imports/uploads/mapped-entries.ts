import { setImmediate as nextTurn } from 'node:timers/promises';
import { readCsvEntries } from '../csv-entries.js';
import { type Delimiter, delimiters } from '../delimiter.js';
import type { RecordMember } from '../employee-check.js';
import type { Entry } from '../entry.js';
import { readJsonEntries } from '../json-entries.js';
import { splitLines } from '../lines.js';

/** How the columns of a file are assigned to attributes. */
export interface FileMapping {
  readonly format: string;
  readonly delimiter: string | null;
  readonly columns: readonly string[];
  /** The attribute of each column; empty: the column is ignored. */
  readonly attributes: readonly string[];
}

/** Entries after which other work of the process runs. */
const entriesPerTurn = 50;

/** Reads the records of an uploaded file, with the names of attributes. */
export async function* readMappedEntries(
  content: AsyncIterable<Uint8Array>,
  mapping: FileMapping,
  known: readonly RecordMember[],
): AsyncGenerator<Entry, void, undefined> {
  const lines = splitLines(content);
  const entries =
    mapping.format === 'csv'
      ? readCsvEntries(lines, known, {
          delimiter: delimiters.find((delimiter): delimiter is Delimiter => delimiter === mapping.delimiter),
          columns: mapping.attributes,
        })
      : renameMembers(readJsonEntries(lines), mapping);
  let count = 0;
  for await (const entry of entries) {
    count += 1;
    if (count % entriesPerTurn === 0) await nextTurn();
    yield entry;
  }
}

/** Members that the mapping does not know keep their names, so that unknown ones are rejected with their line. */
async function* renameMembers(
  entries: AsyncIterable<Entry>,
  { columns, attributes }: FileMapping,
): AsyncGenerator<Entry, void, undefined> {
  const names = new Map(columns.map((column, index) => [column, attributes[index] ?? '']));
  for await (const entry of entries) {
    const { value } = entry;
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      yield entry;
      continue;
    }
    const members = Object.entries(value);
    const own = members.filter(([name]) => !names.has(name));
    const renamed = members.flatMap(([name, member]) => {
      const attribute = names.get(name);
      return attribute === undefined || attribute === '' ? [] : [[attribute, member] as const];
    });
    yield { line: entry.line, value: Object.fromEntries([...own, ...renamed]) };
  }
}
