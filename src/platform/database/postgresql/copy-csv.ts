import type { Pool } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import type { CsvQuery } from '../client.js';
import { cursorCsv } from '../cursor-csv.js';
import type { Prisma } from '../generated/client.js';
import type { TenantScope } from '../scope.js';
import { beginCancellable, type CancelStatement } from './cancellable-transaction.js';
import type { TransactionSettings } from './transaction-settings.js';

/** A COPY statement, and the query that sets its parameters in the same transaction. */
interface CopyStatement {
  readonly text: string;
  readonly settings: { readonly text: string; readonly values: readonly [string[]] };
}

// The aggregate returns one row for any number of parameters.
const setParameters = `
  SELECT count(set_config('people_api.p' || number, value, true))
  FROM unnest($1::text[]) WITH ORDINALITY AS parameter (value, number)`;

/**
 * Converts a query to a COPY statement. COPY does not accept bind parameters, so each value becomes a setting of the
 * transaction, which the statement reads. The text of the statement contains no values.
 *
 * @throws {TypeError} for a value that is neither a string nor an array of strings
 */
function copyStatement({ strings, values }: Pick<Prisma.Sql, 'strings' | 'values'>): CopyStatement {
  const query = strings
    .map((text, index) => (index === 0 ? text : `${reference(values[index - 1], index)}${text}`))
    .join('');
  return {
    text: `COPY (${query}) TO STDOUT (FORMAT csv, HEADER)`,
    settings: { text: setParameters, values: [values.map(toSetting)] },
  };
}

function reference(value: unknown, number: number): string {
  const setting = `current_setting('people_api.p${number}')`;
  if (typeof value === 'string') return setting;
  // The subquery runs once. Without it, the list would be parsed for each row.
  if (isTextList(value))
    return `(SELECT coalesce(array_agg(text), '{}') FROM jsonb_array_elements_text(${setting}::jsonb) AS text)`;
  throw new TypeError(`Parameter ${number} of a COPY statement is neither text nor a list of texts`);
}

function toSetting(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function isTextList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((text) => typeof text === 'string');
}

/** Options of a query that is read as CSV. */
interface CsvOptions extends CsvQuery {
  readonly scope: TenantScope;
  readonly settings: TransactionSettings;
  readonly cancel: CancelStatement;
}

/** The transaction of a query. */
const beginCsv = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

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

/**
 * Runs a query with a cursor in a read-only transaction, and yields its rows as CSV. For a distributed database: the workers
 * do not have the settings that replace the parameters of COPY.
 */
export async function* fetchCsv(
  pool: Pool,
  { query, ...options }: CsvOptions,
): AsyncGenerator<Buffer, void, undefined> {
  const transaction = await beginCancellable(pool, { ...options, begin: beginCsv, closeOnAbort: true });
  const { client } = transaction;
  try {
    await client.query(`DECLARE csv NO SCROLL CURSOR FOR ${query.text}`, [...query.values]);
    yield* cursorCsv((count) =>
      client.query<(string | null)[]>({ text: `FETCH ${count} FROM csv`, rowMode: 'array' }),
    );
    await transaction.commit();
  } finally {
    transaction.close();
  }
}
