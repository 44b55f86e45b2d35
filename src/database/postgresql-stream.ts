import pg, { type Pool, type PoolClient } from 'pg';
import { LineBuffer } from './line-buffer.js';
import { type Scope, withScope } from './scope.js';

/** Rows that one round trip brings: enough that trips do not count, few enough that memory does not. */
export const rowsPerChunk = 1_000;

/** A query whose single text column is streamed. */
export interface LineQuery {
  readonly text: string;
  readonly values: readonly unknown[];
  readonly signal: AbortSignal;
}

/**
 * Streams a query from a cursor in a read-only transaction of its own.
 *
 * @param cancel stops what another connection is doing, for queries that nobody waits for any more
 */
export async function* streamFromCursor(
  streamPool: Pool,
  cancel: (processId: number) => Promise<void>,
  { text, values, scope, signal }: LineQuery & { readonly scope: Scope },
): AsyncGenerator<Buffer, void, undefined> {
  signal.throwIfAborted();
  const client = await streamPool.connect();
  const connection = holdConnection(client, cancel);
  signal.addEventListener('abort', connection.abandon);
  try {
    // It may have come while a connection was waited for, before anybody listened.
    signal.throwIfAborted();
    await withScope(scope, () => client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
    await client.query(`DECLARE streamed NO SCROLL CURSOR FOR ${text}`, [...values]);
    const lines = new LineBuffer();
    for (;;) {
      const count = await fetchLines(client, lines);
      if (count > 0) yield lines.take();
      if (count < rowsPerChunk) break;
    }
    await client.query('COMMIT');
    connection.giveBack();
  } finally {
    signal.removeEventListener('abort', connection.abandon);
    // Whatever ended the stream early, the connection goes, and the transaction with it.
    connection.abandon();
  }
}

function fetchLines(client: PoolClient, lines: LineBuffer): Promise<number> {
  return new Promise((resolve, reject) => {
    let count = 0;
    // Its listener gets one row after the other; without one the driver would keep them all.
    const query = new pg.Query<[string]>({
      text: `FETCH ${rowsPerChunk} FROM streamed`,
      rowMode: 'array',
    } as pg.QueryConfig);
    query.on('row', ([line]) => {
      count += 1;
      lines.add(line);
    });
    query.on('end', () => resolve(count));
    query.on('error', reject);
    client.query(query);
  });
}

/** Sees to it that a connection is let go of once, in one way or the other. */
function holdConnection(client: PoolClient, cancel: (processId: number) => Promise<void>) {
  let held = true;
  // The loss of a connection shows in the next statement; without a listener it would end the process.
  const ignore = () => {};
  client.on('error', ignore);
  const release = (destroy: boolean): boolean => {
    if (!held) return false;
    held = false;
    if (!destroy) client.off('error', ignore);
    client.release(destroy);
    return true;
  };
  return {
    giveBack: () => release(false),
    abandon: () => {
      const { processID } = client as PoolClient & { processID?: number };
      if (!release(true) || processID === undefined) return;
      // The server notices a closed connection only between statements, and a sort can be a long one.
      cancel(processID).catch(ignore);
    },
  };
}
