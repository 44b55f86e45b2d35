import type { PGlite } from '@electric-sql/pglite';
import type { CsvQuery } from '../client.js';
import { csvLine } from '../csv-line.js';

/** Rows of one chunk. Other statements wait while a chunk is read, and it is in memory. */
const rowsPerChunk = 2_000;

let cursors = 0;

/**
 * Runs a query with a cursor and yields its rows as CSV. The cursor is declared WITH HOLD instead of in a transaction, which
 * would block the only connection: the database stores the result, and other statements run between two fetches. COPY would
 * return the whole result at once.
 */
export async function* readCsv(
  server: PGlite,
  { query, signal }: CsvQuery,
): AsyncGenerator<Buffer, void, undefined> {
  signal.throwIfAborted();
  cursors += 1;
  const name = `csv_${cursors}`;
  await server.query(`DECLARE ${name} NO SCROLL CURSOR WITH HOLD FOR ${query.text}`, [...query.values]);
  try {
    for (let isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      const fetched = await server.query(`FETCH ${rowsPerChunk} FROM ${name}`, [], { rowMode: 'array' });
      const rows = fetched.rows as unknown as (string | null)[][];
      const lines = rows.map(csvLine);
      if (isFirst) lines.unshift(csvLine(fetched.fields.map((field) => field.name)));
      if (lines.length > 0) yield Buffer.from(lines.join(''));
      if (rows.length < rowsPerChunk) break;
    }
  } finally {
    if (!server.closed) await server.query(`CLOSE ${name}`);
  }
}
