import pg from 'pg';
import { describeError } from '../../database-errors.js';

/** Milliseconds that a host may take to accept a connection, and to respond to the query. */
const timeoutMs = 1_000;

/** The session is read-only. `code` is the SQLSTATE of a statement that writes in such a session. */
export class ReadOnlySessionError extends Error {
  override readonly name = 'ReadOnlySessionError';
  readonly code = '25006';

  constructor() {
    super('the session is read-only');
  }
}

/**
 * Checks that statements of a session may write. They may not on a standby, or where `default_transaction_read_only` is on.
 *
 * @throws {ReadOnlySessionError} when they may not
 */
export async function checkReadWrite(client: pg.ClientBase): Promise<void> {
  // A query, because connection poolers do not forward the parameters that PostgreSQL reports.
  const { rows } = await client.query<{ transaction_read_only: string }>('SHOW transaction_read_only');
  if (rows[0]?.transaction_read_only !== 'off') throw new ReadOnlySessionError();
}

/**
 * Connects to all hosts at the same time.
 *
 * @param urls one for each host
 * @returns URL of the first host that responds with a read-write session
 * @throws {Error} when there is none; its message has a reason for each host, in one line
 */
export async function findReadWrite(urls: readonly string[]): Promise<string> {
  try {
    return await Promise.any(urls.map(tryHost));
  } catch (error) {
    const reasons = (error as AggregateError).errors.map((reason, index) => {
      const { host } = new URL(urls[index] ?? '');
      return `${host}: ${describeError(reason)}`;
    });
    throw new Error(`no host is read-write (${reasons.join('; ')})`);
  }
}

async function tryHost(connectionString: string): Promise<string> {
  const client = new pg.Client({
    connectionString,
    application_name: 'people-api',
    connectionTimeoutMillis: timeoutMs,
    query_timeout: timeoutMs,
  });
  // The query reports the loss of the connection.
  client.on('error', () => {});
  try {
    await client.connect();
    await checkReadWrite(client);
    return connectionString;
  } finally {
    // Not awaited: a host that hangs does not close the connection.
    client.end().catch(() => {});
  }
}
