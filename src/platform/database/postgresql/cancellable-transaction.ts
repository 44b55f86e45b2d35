import type { Pool, PoolClient } from 'pg';
import type { ReportQueryOptions } from '../client.js';
import type { TenantScope } from '../scope.js';
import type { TransactionSettings } from './transaction-settings.js';

/** Cancels the running statement of a session over another connection. The id is that of its server process. */
export type CancelStatement = (processId: number, session: PoolClient) => Promise<void>;

interface CancellableOptions {
  readonly settings: TransactionSettings;
  readonly cancel: CancelStatement;
  readonly scope: TenantScope;
  readonly signal: AbortSignal;
  /** The `BEGIN` statement of the transaction. */
  readonly begin: string;
  /** Whether the connection is closed when the signal aborts. Otherwise it is closed when the statement has ended. */
  readonly closeOnAbort: boolean;
}

interface CancellableTransaction {
  readonly client: PoolClient;
  /**
   * Commits and returns the connection to the pool.
   *
   * @throws the reason of the signal, when it has aborted
   */
  commit(): Promise<void>;
  /** Cancels the statement and closes the connection. Does nothing after `commit`. */
  close(): void;
}

/**
 * Starts a transaction whose statement is cancelled when the signal aborts. The connection is closed then, because a late
 * cancellation could reach the next statement of a reused connection.
 *
 * The id of the server process is read inside the transaction, because a transaction pooler may assign another process to
 * each transaction.
 */
export async function beginCancellable(
  pool: Pool,
  { settings, cancel, scope, signal, begin, closeOnAbort }: CancellableOptions,
): Promise<CancellableTransaction> {
  signal.throwIfAborted();
  const client = await pool.connect();
  if (signal.aborted) {
    client.release();
    throw signal.reason;
  }
  let processId: number | undefined;
  let isHeld = true;
  const release = (destroy: boolean) => {
    if (!isHeld) return;
    isHeld = false;
    signal.removeEventListener('abort', abort);
    if (!destroy) client.off('error', onLost);
    client.release(destroy);
  };
  // The next statement reports the loss of the connection.
  const onLost = () => release(true);
  const abort = () => {
    // The server detects a closed connection only when it sends data, which may be after a long sort. When the cancellation
    // fails, the statement timeout applies.
    if (isHeld && processId !== undefined) cancel(processId, client).catch(() => {});
    if (closeOnAbort) release(true);
  };
  const close = () => {
    if (isHeld && !signal.aborted) abort();
    release(true);
  };
  client.on('error', onLost);
  signal.addEventListener('abort', abort);
  try {
    await settings.begin(client, scope, begin);
    const { rows } = await client.query<{ id: number }>('SELECT pg_backend_pid() AS id');
    processId = Number(rows[0]?.id);
    // The signal may have aborted before the process id was read.
    signal.throwIfAborted();
  } catch (error) {
    close();
    throw error;
  }
  return {
    client,
    close,
    async commit() {
      signal.throwIfAborted();
      // With a transaction pooler, a late cancellation could reach a statement of another client.
      processId = undefined;
      await client.query('COMMIT');
      release(false);
    },
  };
}

/**
 * Runs one statement in a read-only transaction and cancels it when the signal aborts. Settles when PostgreSQL has finished
 * the statement, so that the pool size limits the running statements even when clients disconnect.
 */
export async function runReportQuery<Row extends object>(
  pool: Pool,
  text: string,
  values: readonly unknown[],
  options: ReportQueryOptions & { readonly settings: TransactionSettings; readonly cancel: CancelStatement },
): Promise<Row[]> {
  const transaction = await beginCancellable(pool, {
    ...options,
    begin: 'BEGIN READ ONLY',
    closeOnAbort: false,
  });
  try {
    const { rows } = await transaction.client.query<Row>(text, [...values]);
    await transaction.commit();
    return rows;
  } finally {
    transaction.close();
  }
}
