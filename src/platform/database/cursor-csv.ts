import { csvLine } from './csv-line.js';

/** Rows of one chunk, which is in memory. */
const rowsPerChunk = 2_000;

/** Rows of a cursor, and the names of its columns. */
interface FetchedRows {
  readonly rows: readonly (readonly (string | null)[])[];
  readonly fields: readonly { readonly name: string }[];
}

/**
 * Yields the rows of a cursor as CSV with a header line, in chunks of whole lines.
 *
 * @param fetch returns the next rows, at most so many
 */
export async function* cursorCsv(
  fetch: (count: number) => Promise<FetchedRows>,
): AsyncGenerator<Buffer, void, undefined> {
  for (let isFirst = true; ; isFirst = false) {
    const { rows, fields } = await fetch(rowsPerChunk);
    const lines = rows.map(csvLine);
    if (isFirst) lines.unshift(csvLine(fields.map(({ name }) => name)));
    if (lines.length > 0) yield Buffer.from(lines.join(''));
    if (rows.length < rowsPerChunk) return;
  }
}
