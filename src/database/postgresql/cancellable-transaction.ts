import type { Pool, PoolClient } from 'pg';
import type { Scope } from '../scope.js';
import type { TransactionSettings } from './transaction-settings.js';

/** Cancels the statement of a server process over another connection. */
export type CancelStatement = (processId: number) => Promise<void>;

export interface CancellableOptions {
  readonly settings: TransactionSettings;
  readonly cancel: CancelStatement;
  readonly scope: Scope;
  readonly signal: AbortSignal;
  /** The statement that begins the transaction. */
  readonly begin: string;
  /** Whether the connection is closed as soon as the signal aborts. Otherwise it is held until the statement has ended. */
  readonly closeOnAbort: boolean;
}

export interface CancellableTransaction {
  readonly client: PoolClient;
  /**
   * Commits. The connection can be used again.
   *
   * @throws the reason of the signal, when it has aborted
   */
  commit(): Promise<void>;
  /** Cancels the statement and closes the connection, unless the transaction was committed. */
  close(): void;
}

/**
 * Begins a transaction whose statement is cancelled when the signal aborts. Its connection is closed then: a late
 * cancellation could reach the next statement of a connection that is used again.
 *
 * The server process is read inside the transaction: behind a transaction pooler each transaction may have another one.
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
  // The pool may replace a lost connection at once. The next statement reports the loss.
  const onLost = () => release(true);
  const abort = () => {
    // The server notices a closed connection when it sends, which may be after a long sort. A statement that cannot be
    // cancelled ends at its time limit.
    if (isHeld && processId !== undefined) cancel(processId).catch(() => {});
    if (closeOnAbort) release(true);
  };
  const close = () => {
    if (isHeld && !signal.aborted) abort();
    release(true);
  };
  client.on('error', onLost);
  signal.addEventListener('abort', abort);
  try {
    processId = await settings.begin(client, scope, begin);
    // The signal may have aborted before the process was known.
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
      // Behind a transaction pooler a later cancellation could reach another client's statement.
      processId = undefined;
      await client.query('COMMIT');
      release(false);
    },
  };
}
