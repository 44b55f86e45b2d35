import type { Pool, PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { CsvQuery } from '../client.js';
import { cursorCsv } from '../cursor-csv.js';
import type { TenantScope } from '../scope.js';
import { beginCancellable, type CancelStatement } from './cancellable-transaction.js';
import type { TransactionSettings } from './transaction-settings.js';

/** Options of a query that is read as CSV. */
interface CsvOptions extends CsvQuery {
  readonly scope: TenantScope;
  readonly settings: TransactionSettings;
  readonly cancel: CancelStatement;
}

/** Runs a query in a read-only transaction, and yields its result as CSV. The connection returns to the pool after the commit. */
export async function* readCsv(
  pool: Pool,
  { query, ...options }: CsvOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const transaction = await beginCancellable(pool, {
    ...options,
    begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY',
    // A server process that waits for the client to read does not react to a cancellation.
    closeOnAbort: true,
  });
  try {
    // The workers of a distributed database do not have the settings that replace the parameters of COPY.
    const read = options.settings.isDistributed ? fetchRows : copyRows;
    yield* read(transaction.client, query);
    await transaction.commit();
  } finally {
    transaction.close();
  }
}

async function* fetchRows(client: PoolClient, { text, values }: CsvQuery['query']): AsyncGenerator<Buffer> {
  await client.query(`DECLARE csv NO SCROLL CURSOR FOR ${text}`, [...values]);
  yield* cursorCsv((count) =>
    client.query<(string | null)[]>({ text: `FETCH ${count} FROM csv`, rowMode: 'array' }),
  );
}

// The aggregate returns one row for any number of parameters.
const setParameters = `
  SELECT count(set_config('people_api.p' || number, value, true))
  FROM unnest($1::text[]) WITH ORDINALITY AS parameter (value, number)`;

/**
 * Runs a query as COPY, and yields the output as it arrives. COPY does not accept bind parameters, so each value becomes a
 * setting of the transaction, which the statement reads. The text of the statement contains no values.
 *
 * @throws {TypeError} for a value that is neither a string nor an array of strings
 */
async function* copyRows(client: PoolClient, { strings, values }: CsvQuery['query']): AsyncGenerator<Buffer> {
  const text = strings
    .map((part, index) => (index === 0 ? part : `${reference(values[index - 1], index)}${part}`))
    .join('');
  const settings = values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value)));
  await client.query(setParameters, [settings]);
  const output = client.query(copyTo(`COPY (${text}) TO STDOUT (FORMAT csv, HEADER)`));
  // A lost connection is reported to the stream twice; the second time has no other listener.
  output.on('error', () => {});
  yield* output;
}

function reference(value: unknown, number: number): string {
  const setting = `current_setting('people_api.p${number}')`;
  if (typeof value === 'string') return setting;
  // The subquery runs once. Without it, the list would be parsed for each row.
  if (Array.isArray(value) && value.every((text) => typeof text === 'string'))
    return `(SELECT coalesce(array_agg(text), '{}') FROM jsonb_array_elements_text(${setting}::jsonb) AS text)`;
  throw new TypeError(`Parameter ${number} of a COPY statement is neither text nor a list of texts`);
}
