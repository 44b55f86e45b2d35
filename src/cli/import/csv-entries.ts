import { readCsv } from './csv.js';
import { type Entry, UnusableFileError } from './entry.js';
import type { Line } from './lines.js';

/** An attribute that a file can have a column for. Only one that is nullable can be absent. */
interface Attribute {
  readonly name: string;
  readonly nullable: boolean;
}

/**
 * Reads a CSV file whose header row names the attributes, in any order. An empty field is `null` where the attribute can
 * be, and counts as absent otherwise.
 *
 * @throws {UnusableFileError} when the header names something else, an attribute twice, or not all that are required
 */
export async function* readCsvEntries(
  lines: AsyncIterable<Line>,
  attributes: readonly Attribute[],
): AsyncGenerator<Entry, void, undefined> {
  const nullable = new Set(attributes.filter((attribute) => attribute.nullable).map(({ name }) => name));
  let header: readonly string[] | undefined;
  for await (const { line, fields, fault } of readCsv(lines)) {
    if (header === undefined) {
      if (fields === undefined) throw new UnusableFileError(`line ${line}: ${fault}`);
      header = fields.map((name) => name.trim());
      checkHeader(header, attributes);
    } else if (fields === undefined) {
      yield { line, fault };
    } else if (fields.length !== header.length) {
      yield { line, fault: `has ${fields.length} fields where the header has ${header.length}` };
    } else {
      yield { line, value: toObject(header, fields, nullable) };
    }
  }
  if (header === undefined) throw new UnusableFileError('the file is empty: a header row is expected');
}

/** A refusal repeats no more of a header than this. */
const maximumEcho = 200;

function checkHeader(header: readonly string[], attributes: readonly Attribute[]): void {
  const names = attributes.map(({ name }) => name);
  const required = attributes.filter(({ nullable }) => !nullable).map(({ name }) => name);
  const seen = new Set<string>();
  const repeated = header.filter((name) => seen.size === seen.add(name).size);
  const faults = [
    ['has the unknown columns', header.filter((name) => !names.includes(name))],
    ['lacks the columns', required.filter((name) => !header.includes(name))],
    ['names twice the columns', repeated],
  ] as const;
  const found = faults
    .filter(([, names]) => names.length > 0)
    .map(([what, names]) => `${what} ${names.join(', ').slice(0, maximumEcho)}`);
  if (found.length === 0) return;
  const expected = `expected are ${names.join(', ')}, in UTF-8 and with commas between them`;
  throw new UnusableFileError(`the header ${found.join(' and ')}; ${expected}`);
}

function toObject(
  header: readonly string[],
  fields: readonly string[],
  nullable: ReadonlySet<string>,
): Record<string, string | null> {
  const value: Record<string, string | null> = {};
  for (const [index, name] of header.entries()) {
    const field = fields[index];
    if (field !== undefined && field !== '') value[name] = field;
    else if (nullable.has(name)) value[name] = null;
  }
  return value;
}
