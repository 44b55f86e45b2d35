import type { RecordMember } from '../../employees/index.js';
import { readCsvEntries } from '../csv-entries.js';
import { type Delimiter, delimiters } from '../delimiter.js';
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

/** Reads the records of an uploaded file, with the names of attributes. */
export function readMappedEntries(
  content: AsyncIterable<Uint8Array>,
  mapping: FileMapping,
  known: readonly RecordMember[],
): AsyncIterable<readonly Entry[]> {
  const lines = splitLines(content);
  return mapping.format === 'csv'
    ? readCsvEntries(lines, known, {
        delimiter: delimiters.find((delimiter): delimiter is Delimiter => delimiter === mapping.delimiter),
        columns: mapping.attributes,
      })
    : renameMembers(readJsonEntries(lines), mapping);
}

/** Members that the mapping does not know keep their names, so that unknown ones are rejected with their line. */
async function* renameMembers(
  entries: AsyncIterable<readonly Entry[]>,
  { columns, attributes }: FileMapping,
): AsyncGenerator<readonly Entry[], void, undefined> {
  const names = new Map(columns.map((column, index) => [column, attributes[index] ?? '']));
  for await (const batch of entries) yield batch.map((entry) => rename(entry, names));
}

function rename(entry: Entry, names: ReadonlyMap<string, string>): Entry {
  const { value } = entry;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return entry;
  const members = Object.entries(value);
  const own = members.filter(([name]) => !names.has(name));
  const renamed = members.flatMap(([name, member]) => {
    const attribute = names.get(name);
    return attribute === undefined || attribute === '' ? [] : [[attribute, member] as const];
  });
  return { line: entry.line, value: Object.fromEntries([...own, ...renamed]) };
}
