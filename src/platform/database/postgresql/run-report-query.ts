import type { Pool } from 'pg';
import type { ReportQueryOptions } from '../client.js';
import { beginCancellable, type CancelStatement } from './cancellable-transaction.js';
import type { TransactionSettings } from './transaction-settings.js';

/**
 * Runs one statement in a read-only transaction and cancels it when the signal aborts. Settles when PostgreSQL has finished
 * the statement, so that the pool size limits the running statements even when clients disconnect.
 */
export async function runReportQuery<Row extends object>(
  pool: Pool,
  statement: { readonly text: string; readonly values: readonly unknown[] },
  options: ReportQueryOptions & { readonly settings: TransactionSettings; readonly cancel: CancelStatement },
): Promise<Row[]> {
  const transaction = await beginCancellable(pool, {
    ...options,
    begin: 'BEGIN READ ONLY',
    closeOnAbort: false,
  });
  try {
    const { text, values } = statement;
    const { rows } = await transaction.client.query<Row>(text, [...values]);
    await transaction.commit();
    return rows;
  } finally {
    transaction.close();
  }
}
