import { createBatcher } from './batcher.js';
import type { PreparedStatement, ReadDatabase } from './client.js';
import type { TenantScope } from './scope.js';

/** Type of a column of `request`. */
type ColumnType = 'text' | 'bigint' | 'integer';

interface LookupDefinition<Key, Columns extends string, Row extends object, OwnRow extends object, Value> {
  /** Name of the prepared statement. */
  readonly name: string;
  /** Columns of `request` in {@link LookupDefinition.sql}. */
  readonly columns: Readonly<Record<Columns, ColumnType>>;
  /** Values of the columns for a key. */
  readonly request: (key: Key) => Readonly<Record<Columns, string | number | null>>;
  /** A query for at most one row for the row `request`. Its columns have a name and the type text. */
  readonly sql: string;
  readonly toValue: (row: Row) => Value;
  /** Tenant scope of a statement for these keys. */
  readonly scope: (keys: readonly Key[]) => TenantScope;
  /** Maximum number of keys of one statement. */
  readonly maxBatchSize: number;
  /** Maximum number of concurrent statements of a process. */
  readonly concurrency: number;
  /** The query on a distributed database, for account data. */
  readonly distributed?: DistributedLookup<Key, OwnRow, Value>;
}

/**
 * A query for one key on a distributed database. If it reads one table, without a subquery, with the condition
 * `account_id = $1`, Citus plans it once. It plans other queries at each execution: the benchmark `list-citus` fails with them.
 */
interface DistributedLookup<Key, Row, Value> {
  readonly statement: PreparedStatement;
  readonly values: (key: Key) => readonly (string | number)[];
  readonly toValue: (rows: readonly Row[], key: Key) => Value | null;
}

/** The number of the request that a row is for, from 1. */
interface Numbered {
  readonly ordinal: string;
}

/** Looks up the value of a key; `null` when the statement has no row for it. */
type Lookup<Key, Value> = (key: Key) => Promise<Value | null>;

/**
 * Defines a lookup by key whose calls share statements: keys that are requested together are looked up by one statement. A
 * statement never starts before its keys are requested.
 *
 * On a distributed database, each key of account data is looked up by a statement of its own.
 */
export function defineLookup<Key, Columns extends string, Row extends object, OwnRow extends object, Value>(
  definition: LookupDefinition<Key, Columns, Row, OwnRow, Value>,
): (database: Pick<ReadDatabase, 'runPrepared' | 'isDistributed'>) => Lookup<Key, Value> {
  const { name, columns, request, sql, toValue, scope, distributed, maxBatchSize, concurrency } = definition;
  const isOnCoordinator = distributed === undefined;
  const statement: PreparedStatement = { name, isOnCoordinator, text: lookupText(columns, sql) };
  return (database) => {
    const load = async (keys: readonly Key[]) => {
      const values = [JSON.stringify(keys.map(request))];
      const rows = await database.runPrepared<Row & Numbered>(statement, values, scope(keys));
      const found: (Value | null)[] = keys.map(() => null);
      for (const row of rows) found[Number(row.ordinal) - 1] = toValue(row);
      return found;
    };
    const batched = createBatcher(load, { maxBatchSize, concurrency });
    if (distributed === undefined) return batched;
    const single = async (key: Key) => {
      const values = distributed.values(key).map(String);
      const rows = await database.runPrepared<OwnRow>(distributed.statement, values, scope([key]));
      return distributed.toValue(rows, key);
    };
    return (key) => (database.isDistributed() ? single(key) : batched(key));
  };
}

/**
 * OFFSET 0 prevents the planner from joining the requests with the tables: it estimates a hundred requests and would read
 * whole tables.
 */
function lookupText(columns: Readonly<Record<string, ColumnType>>, sql: string): string {
  const names = Object.keys(columns);
  return `
      SELECT request.ordinal::text AS ordinal, found.*
      FROM ROWS FROM (json_to_recordset($1::json) AS (${names.map((name) => `${name} ${columns[name]}`).join(', ')}))
        WITH ORDINALITY AS request (${[...names, 'ordinal'].join(', ')})
      CROSS JOIN LATERAL (${sql} OFFSET 0) AS found`;
}

/** SQL expression for a timestamp as the API writes it: UTC with milliseconds. */
export function timestampText(column: string): string {
  return `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}
