import type { Pool } from 'pg';
import { cursorCsv } from '../cursor-csv.js';
import { beginCancellable } from './cancellable-transaction.js';
import { beginCsv, type CsvOptions } from './copy-csv.js';

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
    yield* cursorCsv((count) =>
      client.query<(string | null)[]>({ text: `FETCH ${count} FROM csv`, rowMode: 'array' }),
    );
    await transaction.commit();
  } finally {
    transaction.close();
  }
}
