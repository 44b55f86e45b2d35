import type { Database, PreparedStatement } from '../client.js';
import { defineLookup } from '../define-lookup.js';
import { allAccounts, type TenantScope } from '../scope.js';

/**
 * A position in the write-ahead log of PostgreSQL, which is written as two hexadecimal numbers, such as `16/B374D848`.
 * Later positions are greater.
 */
export type LogPosition = bigint;

/** Before every other position. */
export const logStart: LogPosition = 0n;

/** Parses a position; `null` is {@link logStart}. */
export function toLogPosition(text: string | null | undefined): LogPosition {
  if (text === null || text === undefined) return logStart;
  const [high = '0', low = '0'] = text.split('/');
  return (BigInt(`0x${high}`) << 32n) + BigInt(`0x${low}`);
}

/**
 * Records the current end of the log for the accounts of a scope, which is the parameter. It runs after the commit of a
 * write, because the write itself cannot know its position, and before the write is acknowledged.
 */
const recordWrite: PreparedStatement = {
  name: 'record_write',
  text: `
    INSERT INTO write_positions (account_id, position)
    SELECT id, pg_current_wal_insert_lsn() FROM accounts WHERE id = ANY (string_to_array($1, ',')) ORDER BY id
    ON CONFLICT (account_id) DO UPDATE SET position = greatest(write_positions.position, excluded.position)`,
};

/** The position of the last write of an account; `null` without a write. */
const writePosition = defineLookup({
  name: 'write_position',
  columns: { account_id: 'text' },
  request: (accountId: string) => ({ account_id: accountId }),
  sql: 'SELECT position::text AS position FROM write_positions WHERE write_positions.account_id = request.account_id',
  toValue: ({ position }: { position: string }) => toLogPosition(position),
  scope: () => allAccounts,
  maxBatchSize: 200,
  concurrency: 2,
});

/** Records that the accounts of a scope have been written. Does nothing for the scopes of no account and all accounts. */
export async function recordWriteOf(
  database: Pick<Database, 'runPrepared'>,
  scope: TenantScope,
): Promise<void> {
  if (accountsOf(scope).length > 0) await database.runPrepared(recordWrite, [scope], scope);
}

/** Creates a function that reads the position of the last write of the accounts of a scope. Callers share statements. */
export function createPositionReader(
  primary: Pick<Database, 'runPrepared' | 'isDistributed'>,
): (scope: TenantScope) => Promise<LogPosition> {
  const find = writePosition(primary);
  return async (scope) => {
    const positions = await Promise.all(accountsOf(scope).map(find));
    return positions.reduce<LogPosition>(
      (last, position) => (position !== null && position > last ? position : last),
      logStart,
    );
  };
}

/** Ids of the accounts of a scope; none for the scopes of no account and all accounts. */
export function accountsOf(scope: TenantScope): string[] {
  return scope === '' || scope === allAccounts ? [] : scope.split(',');
}
