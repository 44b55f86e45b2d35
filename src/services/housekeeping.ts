import { type Database, Prisma } from '../database/client.js';
import { allAccounts, withScope } from '../database/scope.js';
import { deleteExpiredKeys } from './idempotency/key-count.js';

/** How long the audit log is kept. */
export const auditRetentionDays = 400;

/** How long the counts of API calls are kept. */
export const usageRetentionDays = 400;

/** How long the last rejected requests of an application are kept. */
export const rejectionRetentionDays = 7;

/** Rows that one statement deletes, more or less: few enough that no request waits long for their locks. */
const batchSize = 1000;

const dayMilliseconds = 86_400_000;

/** A statement that deletes up to {@link batchSize} rows of a table that match, by primary key; an index finds them. */
function deleteWhere(table: string, primaryKey: readonly string[], condition: Prisma.Sql): Prisma.Sql {
  const name = Prisma.raw(table);
  const isExpired = primaryKey.map((column) => Prisma.raw(`stored.${column} = expired.${column}`));
  return Prisma.sql`
    WITH expired AS MATERIALIZED (
      SELECT ${Prisma.raw(primaryKey.join(', '))} FROM ${name}
      WHERE ${condition} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
    DELETE FROM ${name} AS stored USING expired WHERE ${Prisma.join(isExpired, ' AND ')}`;
}

/**
 * A grant is deleted with the last of its refresh tokens; its access tokens have expired by then. The process that locked
 * the grant deletes its tokens together: two processes that each hold some of them would wait for each other.
 */
function deleteRefreshTokens(before: Date): Prisma.Sql {
  return Prisma.sql`
    WITH locked AS MATERIALIZED (
      SELECT account_id, id FROM grants WHERE (account_id, id) IN (
        SELECT account_id, grant_id FROM refresh_tokens WHERE expires_at < ${before} LIMIT ${batchSize})
      FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM refresh_tokens token USING locked
      WHERE token.account_id = locked.account_id AND token.grant_id = locked.id AND token.expires_at < ${before}
      RETURNING 1
    ), finished AS (
      DELETE FROM grants USING locked WHERE grants.account_id = locked.account_id AND grants.id = locked.id
        AND NOT EXISTS (
          SELECT FROM refresh_tokens token
          WHERE token.account_id = grants.account_id AND token.grant_id = grants.id
            AND token.expires_at >= ${before})
    )
    SELECT count(*)::int AS count FROM gone`;
}

/** Keeps the database in order. */
export class Housekeeping {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /** Does what a database server does by itself from time to time, and the embedded database does not. */
  maintain(): Promise<void> {
    return this.#database.maintain();
  }

  /**
   * Deletes what has expired, in small batches. Any number of processes may do it at once: each passes over the
   * rows that another one has taken.
   *
   * @param signal says that it is to end after the batch that is being deleted
   * @returns how many rows of each table were deleted
   */
  prune(now: Date, signal?: AbortSignal): Promise<Record<string, number>> {
    return withScope(allAccounts, async () => {
      const pruned: Record<string, number> = {};
      for (const [table, deleteBatch] of Object.entries(batchesOf(this.#database, now))) {
        let total = 0;
        let deleted = -1;
        while (deleted !== 0 && signal?.aborted !== true) {
          deleted = await deleteBatch();
          total += deleted;
        }
        pruned[table] = total;
      }
      return pruned;
    });
  }
}

/** By table, what deletes a batch of its expired rows and returns how many. */
function batchesOf({ prisma }: Database, now: Date): Readonly<Record<string, () => Promise<number>>> {
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMilliseconds);
  // What was used is kept for a day after it expired, so that a replay is still recognised as theft.
  const dayAgo = daysAgo(1);
  const expired = (table: string, primaryKey: readonly string[], condition: Prisma.Sql) => () =>
    prisma.$executeRaw(deleteWhere(table, primaryKey, condition));
  return {
    authorization_codes: expired('authorization_codes', ['code_hash'], Prisma.sql`expires_at < ${dayAgo}`),
    refresh_tokens: async () => {
      const [row] = await prisma.$queryRaw<{ count: number }[]>(deleteRefreshTokens(dayAgo));
      return row?.count ?? 0;
    },
    // Nor does a revocation end while a process whose clock is behind still takes the token for valid.
    revoked_access_tokens: expired('revoked_access_tokens', ['jti'], Prisma.sql`expires_at < ${dayAgo}`),
    sessions: expired('sessions', ['id_hash'], Prisma.sql`expires_at < ${now}`),
    idempotency_keys: async () => {
      const [row] = await prisma.$queryRaw<{ count: number }[]>(deleteExpiredKeys(now, batchSize));
      return row?.count ?? 0;
    },
    submitted_forms: expired('submitted_forms', ['key'], Prisma.sql`expires_at < ${now}`),
    failure_counts: expired('failure_counts', ['key'], Prisma.sql`expire < ${now}`),
    request_counts: expired('request_counts', ['key'], Prisma.sql`expire < ${now}`),
    signing_keys: expired('signing_keys', ['kid'], Prisma.sql`expires_at < ${now}`),
    audit_events: expired(
      'audit_events',
      ['account_id', 'id'],
      Prisma.sql`created_at < ${daysAgo(auditRetentionDays)}`,
    ),
    system_events: expired('system_events', ['id'], Prisma.sql`created_at < ${daysAgo(auditRetentionDays)}`),
    api_usage: expired(
      'api_usage',
      ['account_id', 'application_id', 'hour', 'operation', 'user_id'],
      Prisma.sql`hour < ${daysAgo(usageRetentionDays)}`,
    ),
    rejected_requests: expired(
      'rejected_requests',
      ['account_id', 'application_id', 'created_at', 'id'],
      Prisma.sql`created_at < ${daysAgo(rejectionRetentionDays)}`,
    ),
  };
}
