import type { Pool, PoolClient, QueryResult } from 'pg';
import type { Scope } from '../scope.js';
import { ScopedQuery } from './scoped-query.js';

export interface ReportQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly scope: Scope;
  readonly signal: AbortSignal;
}

/**
 * Runs one statement and cancels it when the signal aborts. Settles when PostgreSQL has finished with the statement, so
 * that the size of the pool bounds the work even when clients disconnect.
 *
 * @param cancel cancels the statement of a backend process over another connection
 */
export async function runReportQuery<Row extends object>(
  pool: Pool,
  cancel: (processId: number) => Promise<void>,
  { text, values, scope, signal }: ReportQuery,
): Promise<Row[]> {
  signal.throwIfAborted();
  const client: PoolClient & { processID?: number } = await pool.connect();
  if (signal.aborted) {
    client.release();
    throw signal.reason;
  }
  const { processID } = client;
  const abort = () => {
    // When it cannot be cancelled, the statement timeout ends it.
    if (processID !== undefined) cancel(processID).catch(() => {});
  };
  // A lost connection fails the statement; without a listener the event would end the process.
  const ignore = () => {};
  let reusable = false;
  client.on('error', ignore);
  signal.addEventListener('abort', abort);
  try {
    const { rows } = await submit<Row>(client, new ScopedQuery({ text, values: [...values] }, scope));
    // A late cancellation must not hit the next statement of the connection.
    reusable = !signal.aborted;
    return rows;
  } finally {
    signal.removeEventListener('abort', abort);
    client.off('error', ignore);
    client.release(!reusable);
  }
}

function submit<Row extends object>(client: PoolClient, query: ScopedQuery): Promise<QueryResult<Row>> {
  return new Promise((resolve, reject) => {
    query.callback = (error, result) => (error ? reject(error) : resolve(result as QueryResult<Row>));
    client.query(query);
  });
}
