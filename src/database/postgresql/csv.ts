import type { Pool, PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { CsvQuery } from '../client.js';
import { type Scope, withScope } from '../scope.js';
import { copyStatement } from './copy-statement.js';

/**
 * Runs a query as COPY in a read-only transaction of its own, and yields its output as it arrives. The connection returns
 * to the pool only after the transaction has been committed.
 *
 * @param cancel cancels the statement of a backend process over another connection
 */
export async function* copyCsv(
  pool: Pool,
  cancel: (processId: number) => Promise<void>,
  { query, scope, signal }: CsvQuery & { readonly scope: Scope },
): AsyncGenerator<Buffer, void, undefined> {
  signal.throwIfAborted();
  const { text, settings } = copyStatement(query);
  const client = await pool.connect();
  const connection = holdConnection(client, cancel);
  signal.addEventListener('abort', connection.abandon);
  try {
    // The signal may have aborted before the listener was added.
    signal.throwIfAborted();
    await withScope(scope, () => client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
    await client.query(settings.text, [...settings.values]);
    const output = client.query(copyTo(text));
    // The loss of the connection is reported to the stream a second time, after its reader has left.
    output.on('error', () => {});
    yield* output;
    await client.query('COMMIT');
    connection.release();
  } finally {
    signal.removeEventListener('abort', connection.abandon);
    connection.abandon();
  }
}

/** Lets the connection return to its pool once: reusable, or destroyed together with its transaction. */
function holdConnection(client: PoolClient, cancel: (processId: number) => Promise<void>) {
  let held = true;
  const release = (destroy: boolean): boolean => {
    if (!held) return false;
    held = false;
    if (!destroy) client.off('error', onLost);
    client.release(destroy);
    return true;
  };
  // The pool may replace a lost connection at once. The next statement reports the loss.
  const onLost = () => release(true);
  client.on('error', onLost);
  return {
    release: () => release(false),
    abandon: () => {
      const { processID } = client as PoolClient & { processID?: number };
      if (!release(true) || processID === undefined) return;
      // The server notices a closed connection when it sends, which may be after a long sort.
      cancel(processID).catch(() => {});
    },
  };
}
