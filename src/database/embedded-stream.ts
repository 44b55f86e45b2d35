import type { PGlite } from '@electric-sql/pglite';
import { LineBuffer, type Lines } from './line-buffer.js';
import { type LineQuery, rowsPerChunk } from './postgresql-stream.js';

let cursors = 0;

/**
 * Streams a query without a transaction of its own, which would keep the only connection from everybody else: the
 * database sets the whole result aside when the cursor is declared, and other statements run between two fetches.
 */
export async function* streamFromHeldCursor(
  server: PGlite,
  { text, values, signal }: LineQuery,
): AsyncGenerator<Lines, void, undefined> {
  signal.throwIfAborted();
  cursors += 1;
  const name = `streamed_${cursors}`;
  await server.query(`DECLARE ${name} NO SCROLL CURSOR WITH HOLD FOR ${text}`, [...values]);
  try {
    const lines = new LineBuffer();
    for (;;) {
      signal.throwIfAborted();
      const fetched = await server.query(`FETCH ${rowsPerChunk} FROM ${name}`, [], { rowMode: 'array' });
      const rows = fetched.rows as unknown as [string][];
      for (const [line] of rows) lines.add(line);
      if (rows.length > 0) yield lines.take();
      if (rows.length < rowsPerChunk) break;
    }
  } finally {
    if (!server.closed) await server.query(`CLOSE ${name}`);
  }
}
