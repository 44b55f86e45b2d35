import type { Connection, Pool, PoolClient, Submittable } from 'pg';
import { LineBuffer, type Lines } from './line-buffer.js';
import { firstColumnOffset, leaveRows, takeRows } from './row-tap.js';
import { type Scope, withScope } from './scope.js';

/** Rows that one round trip brings: enough that trips do not count, few enough that memory does not. */
export const rowsPerChunk = 2_000;

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
): AsyncGenerator<Lines, void, undefined> {
  signal.throwIfAborted();
  const client = await streamPool.connect();
  const connection = holdConnection(client, cancel);
  signal.addEventListener('abort', connection.abandon);
  try {
    // It may have come while a connection was waited for, before anybody listened.
    signal.throwIfAborted();
    await withScope(scope, () => client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'));
    await client.query(`DECLARE streamed NO SCROLL CURSOR FOR ${text}`, [...values]);
    let ahead = fetchLines(client);
    for (;;) {
      const lines = await ahead;
      const isLast = lines.count < rowsPerChunk;
      // The database is at work on the next lines while somebody takes these.
      if (!isLast) ahead = fetchLines(client);
      if (lines.count > 0) yield lines;
      if (isLast) break;
    }
    await client.query('COMMIT');
    connection.giveBack();
  } finally {
    signal.removeEventListener('abort', connection.abandon);
    // Whatever ended the stream early, the connection goes, and the transaction with it.
    connection.abandon();
  }
}

function fetchLines(client: PoolClient): Promise<Lines> {
  const fetched = new Promise<Lines>((resolve, reject) => {
    client.query(new LinesQuery((error, lines) => (lines === undefined ? reject(error) : resolve(lines))));
  });
  // Whoever waits for the lines hears of a failure; one that went away does not.
  fetched.catch(() => {});
  return fetched;
}

/** Fetches from the cursor. Lines are neither decoded nor made objects of. */
class LinesQuery implements Submittable {
  readonly callback: (error: Error | null, lines?: Lines) => void;
  readonly #lines = new LineBuffer();

  constructor(callback: (error: Error | null, lines?: Lines) => void) {
    this.callback = callback;
  }

  submit(connection: Connection): void {
    takeRows(connection, (message, start, end) => {
      this.#lines.addBytes(message, start + firstColumnOffset, end);
    });
    connection.query(`FETCH ${rowsPerChunk} FROM streamed`);
  }

  handleRowDescription(): void {}

  handleDataRow(): void {}

  handleCommandComplete(): void {}

  handleError(error: Error, connection: Connection): void {
    leaveRows(connection);
    this.callback(error);
  }

  handleReadyForQuery(connection: Connection): void {
    leaveRows(connection);
    this.callback(null, this.#lines.take());
  }
}

/** Sees to it that a connection is let go of once, in one way or the other. */
function holdConnection(client: PoolClient, cancel: (processId: number) => Promise<void>) {
  let held = true;
  const release = (destroy: boolean): boolean => {
    if (!held) return false;
    held = false;
    if (!destroy) client.off('error', lost);
    client.release(destroy);
    return true;
  };
  // Its place is free from now on, also where nobody asks for more: the loss itself shows in the next statement.
  const lost = () => release(true);
  client.on('error', lost);
  return {
    giveBack: () => release(false),
    abandon: () => {
      const { processID } = client as PoolClient & { processID?: number };
      if (!release(true) || processID === undefined) return;
      // The server notices a closed connection only between statements, and a sort can be a long one.
      cancel(processID).catch(() => {});
    },
  };
}
