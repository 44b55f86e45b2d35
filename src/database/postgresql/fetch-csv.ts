import type { Pool } from 'pg';
import { csvLine } from '../csv-line.js';
import { beginCancellable } from './cancellable-transaction.js';
import { beginCsv, type CsvOptions } from './copy-csv.js';

/** Rows of one chunk, which is in memory. */
const rowsPerChunk = 2_000;

/**
 * Runs a query with a cursor in a read-only transaction, and yields its rows as CSV. For a distributed database: the workers
 * do not have the settings that replace the parameters of COPY.
 */
export async function* fetchCsv(
  pool: Pool,
  { query, ...options }: CsvOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const transaction = await beginCancellable(pool, { ...options, begin: beginCsv, closeOnAbort: true });
  const { client } = transaction;
  try {
    await client.query(`DECLARE csv NO SCROLL CURSOR FOR ${query.text}`, [...query.values]);
    for (let isFirst = true; ; isFirst = false) {
      const { rows, fields } = await client.query<(string | null)[]>({
        text: `FETCH ${rowsPerChunk} FROM csv`,
        rowMode: 'array',
      });
      const lines = rows.map(csvLine);
      if (isFirst) lines.unshift(csvLine(fields.map(({ name }) => name)));
      if (lines.length > 0) yield Buffer.from(lines.join(''));
      if (rows.length < rowsPerChunk) break;
    }
    await transaction.commit();
  } finally {
    transaction.close();
  }
}
