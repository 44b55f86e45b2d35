import type { PGlite } from '@electric-sql/pglite';
import type { CsvQuery } from '../client.js';
import { cursorCsv } from '../cursor-csv.js';

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
    yield* cursorCsv((count) => {
      signal.throwIfAborted();
      return server.query<(string | null)[]>(`FETCH ${count} FROM ${name}`, [], { rowMode: 'array' });
    });
  } finally {
    if (!server.closed) await server.query(`CLOSE ${name}`);
  }
}
