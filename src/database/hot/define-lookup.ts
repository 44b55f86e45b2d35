import { LRUCache } from 'lru-cache';
import { createBatcher } from '../batcher.js';
import type { ReadDatabase } from '../client.js';
import type { Scope } from '../scope.js';
import type { HotStatement, TextRow } from './hot-statement.js';

/** Type of a column of `request`. */
type ColumnType = 'text' | 'bigint' | 'integer';

export interface LookupDefinition<Key, Columns extends string, Value> {
  /** Name of the prepared statement. */
  readonly name: string;
  /** Columns of `request` in {@link LookupDefinition.sql}. */
  readonly columns: Readonly<Record<Columns, ColumnType>>;
  /** Values of the columns for a key. */
  readonly request: (key: Key) => Readonly<Record<Columns, string | number | null>>;
  /** Account of a key, for a query of account data. Absent: the account is not known yet. */
  readonly accountOf?: (key: Key) => string;
  /**
   * A query for at most one row for the row `request`. Its columns have the type text.
   *
   * @param account SQL expression for the account of the request
   */
  readonly sql: (account: string) => string;
  readonly toValue: (row: TextRow, key: Key) => Value;
  /** Tenant scope of a statement for these keys. */
  readonly scope: (keys: readonly Key[]) => Scope;
  /** Maximum number of keys of one statement. */
  readonly maximum: number;
  /** Maximum number of concurrent statements of a process. */
  readonly atOnce: number;
}

/** Looks up the value of a key; `null` when the statement has no row for it. */
export type Lookup<Key, Value> = (key: Key) => Promise<Value | null>;

/** Accounts of a distributed database whose requests share statements. */
const maxAccounts = 10_000;

/**
 * Defines a lookup by key whose calls share statements: keys that are requested together are looked up by one statement. A
 * statement never starts before its keys are requested.
 *
 * A statement has keys of several accounts. On a distributed database it has keys of one account, which is a parameter, so
 * that Citus runs it on the worker of that account.
 */
export function defineLookup<Key, Columns extends string, Value>(
  definition: LookupDefinition<Key, Columns, Value>,
): (database: Pick<ReadDatabase, 'runHot' | 'isDistributed'>) => Lookup<Key, Value> {
  const { request, toValue, scope, accountOf, maximum, atOnce } = definition;
  const { name } = definition;
  const ofAccounts = statementOf(definition, { name, account: 'request.account_id' });
  const ofAccount = statementOf(definition, { name: `${name}_of_account`, account: '$2' });
  return (database) => {
    const createLookup = (statement: HotStatement, ...values: string[]) => {
      const load = async (keys: readonly Key[]) => {
        const given = [JSON.stringify(keys.map(request)), ...values];
        const rows = await database.runHot(statement, given, scope(keys));
        const found: (Value | null)[] = keys.map(() => null);
        for (const [ordinal, ...row] of rows) {
          const index = Number(ordinal) - 1;
          found[index] = toValue(row, keys[index] as Key);
        }
        return found;
      };
      return createBatcher(load, { maximum, atOnce });
    };
    const together = createLookup(ofAccounts);
    if (accountOf === undefined) return together;
    const byAccount = new LRUCache<string, Lookup<Key, Value>>({
      max: maxAccounts,
      memoMethod: (account) => createLookup(ofAccount, account),
    });
    return (key) => (database.isDistributed() ? byAccount.memo(accountOf(key)) : together)(key);
  };
}

/**
 * OFFSET 0 prevents the planner from joining the requests with the tables: it estimates a hundred requests and would read
 * whole tables.
 */
function statementOf<Key, Columns extends string, Value>(
  { columns, sql, accountOf }: LookupDefinition<Key, Columns, Value>,
  { name, account }: { name: string; account: string },
): HotStatement {
  const names = Object.keys(columns) as Columns[];
  return {
    name,
    isOnCoordinator: accountOf === undefined,
    text: `
      SELECT request.ordinal::text, found.*
      FROM ROWS FROM (json_to_recordset($1::json) AS (${names.map((column) => `${column} ${columns[column]}`).join(', ')}))
        WITH ORDINALITY AS request (${[...names, 'ordinal'].join(', ')})
      CROSS JOIN LATERAL (${sql(account)} OFFSET 0) AS found`,
  };
}
