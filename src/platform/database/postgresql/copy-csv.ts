import type { Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { CsvQuery } from '../client.js';
import type { Scope } from '../scope.js';
import { beginCancellable, type CancelStatement } from './cancellable-transaction.js';
import { copyStatement } from './copy-statement.js';
import type { TransactionSettings } from './transaction-settings.js';

/** Options of a query that is read as CSV. */
export interface CsvOptions extends CsvQuery {
  readonly scope: Scope;
  readonly settings: TransactionSettings;
  readonly cancel: CancelStatement;
}

/** The transaction of a query. */
export const beginCsv = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/**
 * Runs a query as COPY in a read-only transaction, and yields the output as it arrives. The connection returns to the pool
 * after the commit.
 */
export async function* copyCsv(
  pool: Pool,
  { query, ...options }: CsvOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const { text, settings: parameters } = copyStatement(query);
  const transaction = await beginCancellable(pool, {
    ...options,
    begin: beginCsv,
    // A server process that waits for the client to read does not react to a cancellation.
    closeOnAbort: true,
  });
  try {
    await transaction.client.query(parameters.text, [...parameters.values]);
    const output = transaction.client.query(copyTo(text));
    // A lost connection is reported to the stream twice; the second time has no other listener.
    output.on('error', () => {});
    yield* output;
    await transaction.commit();
  } finally {
    transaction.close();
  }
}
