import { rejectionRetentionDays, usageRetentionDays } from '../features/usage/usage-reader.js';
import { auditRetentionDays } from '../platform/audit/audit-log.js';
import { dayMilliseconds } from '../platform/clock.js';
import { type Database, Prisma } from '../platform/database/client.js';
import { allAccounts, withScope } from '../platform/database/scope.js';
import { deleteExpiredKeys } from '../platform/idempotency/key-claim.js';

/** Requests wait for the locks of a batch, so it is small. */
const defaultBatchSize = 1000;

/** An import of 50 MB has 200 chunks, which are deleted with it. */
const importBatchSize = 10;

/** Number of accounts whose rows are deleted before other accounts are read. */
const accountsAtOnce = 100;

/** The expired rows of a table. */
interface Expired {
  readonly primaryKey: readonly string[];
  /** An index supports it. */
  readonly condition: Prisma.Sql;
  /** Approximate number of rows that one statement deletes. */
  readonly limit: number;
  /** Whether the table is distributed by account on Citus, and has no other key. */
  readonly byAccount?: boolean;
}

/**
 * Builds a statement that deletes up to `limit` expired rows.
 *
 * @param accountId deletes rows of this account only
 */
function deleteExpired(
  table: string,
  { primaryKey, condition, limit }: Expired,
  accountId?: string,
): Prisma.Sql {
  const name = Prisma.raw(table);
  const isExpired = primaryKey.map((column) => Prisma.raw(`stored.${column} = expired.${column}`));
  const ofAccount = accountId === undefined ? Prisma.empty : Prisma.sql`AND stored.account_id = ${accountId}`;
  return Prisma.sql`
    WITH expired AS MATERIALIZED (
      SELECT ${Prisma.raw(primaryKey.join(', '))} FROM ${name} AS stored
      WHERE ${condition} ${ofAccount} LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    DELETE FROM ${name} AS stored USING expired WHERE ${Prisma.join(isExpired, ' AND ')} ${ofAccount}`;
}

/** Deletes expired rows of account data. Citus locks rows of one account at a time. */
async function deleteByAccount({ prisma }: Database, table: string, expired: Expired): Promise<number> {
  const accounts = await prisma.$queryRaw<{ id: string }[]>`
    SELECT DISTINCT account_id AS id FROM ${Prisma.raw(table)}
    WHERE ${expired.condition} LIMIT ${accountsAtOnce}`;
  let deleted = 0;
  for (const { id } of accounts) deleted += await prisma.$executeRaw(deleteExpired(table, expired, id));
  return deleted;
}

/** Deletes old events. No index has the events of all accounts, so each account is looked at. */
async function deleteEvents({ prisma }: Database, before: Date, limit: number): Promise<number> {
  const condition = Prisma.sql`occurred_at < ${before}`;
  const accounts = await prisma.$queryRaw<{ id: string }[]>`
    SELECT account_id AS id FROM account_totals
    WHERE EXISTS (SELECT FROM events WHERE events.account_id = account_totals.account_id AND ${condition})
    LIMIT ${accountsAtOnce}`;
  const expired = { primaryKey: ['account_id', 'position'], condition, limit };
  let deleted = 0;
  for (const { id } of accounts) deleted += await prisma.$executeRaw(deleteExpired('events', expired, id));
  return deleted;
}

/**
 * Builds a statement that deletes refresh tokens, and grants without unexpired refresh tokens. The access tokens of such a
 * grant have expired as well. The grant is locked first, so that two processes that delete tokens of one grant do not
 * deadlock.
 */
function deleteRefreshTokens(before: Date, batchSize: number): Prisma.Sql {
  return Prisma.sql`
    WITH locked AS MATERIALIZED (
      SELECT account_id, id FROM grants WHERE (account_id, id) IN (
        SELECT account_id, grant_id FROM refresh_tokens WHERE expires_at < ${before} LIMIT ${batchSize})
      FOR UPDATE SKIP LOCKED
    ), deleted AS (
      DELETE FROM refresh_tokens token USING locked
      WHERE token.account_id = locked.account_id AND token.grant_id = locked.id AND token.expires_at < ${before}
      RETURNING 1
    ), deleted_grants AS (
      DELETE FROM grants USING locked WHERE grants.account_id = locked.account_id AND grants.id = locked.id
        AND NOT EXISTS (
          SELECT FROM refresh_tokens token
          WHERE token.account_id = grants.account_id AND token.grant_id = grants.id
            AND token.expires_at >= ${before})
    )
    SELECT count(*)::int AS count FROM deleted`;
}

/** Deletes expired rows and maintains the embedded database. */
export class Housekeeping {
  readonly #database: Database;
  readonly #storedEventDays: number;
  readonly #batchSize: number;

  /**
   * @param eventRetentionDays days for which events are kept
   * @param historyRetentionDays days for which changes of employees are kept, which are events too
   * @param batchSize approximate number of rows that one statement deletes
   */
  constructor(
    database: Database,
    {
      eventRetentionDays,
      historyRetentionDays,
      batchSize = defaultBatchSize,
    }: {
      readonly eventRetentionDays: number;
      readonly historyRetentionDays: number;
      readonly batchSize?: number;
    },
  ) {
    this.#database = database;
    this.#storedEventDays = Math.max(eventRetentionDays, historyRetentionDays);
    this.#batchSize = batchSize;
  }

  /** Runs the maintenance of the embedded database. A PostgreSQL server needs none. */
  maintain(): Promise<void> {
    return this.#database.maintain();
  }

  /**
   * Deletes expired rows in small batches. Several processes can run it at the same time, because each one skips locked
   * rows.
   *
   * @param signal stops it after the current batch
   * @returns number of deleted rows by table
   */
  prune(now: Date, signal?: AbortSignal): Promise<Record<string, number>> {
    return withScope(allAccounts, async () => {
      const pruned: Record<string, number> = {};
      const options = { now, storedEventDays: this.#storedEventDays, batchSize: this.#batchSize };
      for (const [table, deleteBatch] of Object.entries(batchesOf(this.#database, options))) {
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

/** By table, a function that deletes a batch of expired rows and returns their number. */
function batchesOf(
  database: Database,
  { now, storedEventDays, batchSize }: { now: Date; storedEventDays: number; batchSize: number },
): Readonly<Record<string, () => Promise<number>>> {
  const { prisma } = database;
  const daysAgo = (days: number) => new Date(now.getTime() - days * dayMilliseconds);
  // Used codes and tokens are stored for a day after they expire, so that a replay is still detected.
  const dayAgo = daysAgo(1);
  const expiredBefore = (time: Date) => Prisma.sql`expires_at < ${time}`;
  const createdBefore = (time: Date) => Prisma.sql`created_at < ${time}`;
  const countOf = (statement: Prisma.Sql) => async () => {
    const [row] = await prisma.$queryRaw<{ count: number }[]>(statement);
    return row?.count ?? 0;
  };
  const batches: Readonly<
    Record<string, (Omit<Expired, 'limit'> & { readonly limit?: number }) | (() => Promise<number>)>
  > = {
    authorization_codes: { primaryKey: ['code_hash'], condition: expiredBefore(dayAgo) },
    refresh_tokens: countOf(deleteRefreshTokens(dayAgo, batchSize)),
    // A day later too, because the token is still valid for a process whose clock is slow.
    revoked_access_tokens: { primaryKey: ['jti'], condition: expiredBefore(dayAgo) },
    // A day later too, because an assertion is still valid for a process whose clock is slow.
    client_assertions: { primaryKey: ['key'], condition: expiredBefore(dayAgo) },
    pushed_requests: { primaryKey: ['request_uri_hash'], condition: expiredBefore(now) },
    used_proofs: { primaryKey: ['proof_hash'], condition: expiredBefore(now) },
    sessions: { primaryKey: ['id_hash'], condition: expiredBefore(now) },
    // All attempts are made within two hours, unless no process is running.
    logout_notices: { primaryKey: ['account_id', 'application_id', 'sid'], condition: createdBefore(dayAgo) },
    sign_in_requests: { primaryKey: ['state_hash'], condition: expiredBefore(now) },
    one_time_links: { primaryKey: ['account_id', 'id'], condition: expiredBefore(now) },
    idempotency_keys: countOf(deleteExpiredKeys(now, batchSize)),
    submitted_forms: { primaryKey: ['key'], condition: expiredBefore(now) },
    // Before the imports, which delete them too: an import can have many.
    employee_import_changes: {
      primaryKey: ['account_id', 'import_id', 'position'],
      condition: expiredBefore(now),
    },
    employee_imports: {
      primaryKey: ['account_id', 'id'],
      condition: expiredBefore(now),
      limit: importBatchSize,
    },
    failure_counts: { primaryKey: ['key'], condition: Prisma.sql`expire < ${now}` },
    request_counts: { primaryKey: ['key'], condition: Prisma.sql`expire < ${now}` },
    // A day later, because a user may approve an application that was read while its document was usable.
    shared_applications: {
      primaryKey: ['client_id'],
      condition: Prisma.sql`document IS NOT NULL AND usable_until < ${dayAgo}
        AND NOT EXISTS (SELECT FROM applications WHERE installed_client_id = stored.client_id)
        AND NOT EXISTS (SELECT FROM approval_requests request WHERE request.client_id = stored.client_id)`,
    },
    signing_keys: { primaryKey: ['kid'], condition: expiredBefore(now) },
    audit_events: {
      primaryKey: ['account_id', 'id'],
      condition: createdBefore(daysAgo(auditRetentionDays)),
      byAccount: true,
    },
    events: () => deleteEvents(database, daysAgo(storedEventDays), batchSize),
    system_events: { primaryKey: ['id'], condition: createdBefore(daysAgo(auditRetentionDays)) },
    api_usage: {
      primaryKey: ['account_id', 'application_id', 'hour', 'operation', 'user_id'],
      condition: Prisma.sql`hour < ${daysAgo(usageRetentionDays)}`,
      byAccount: true,
    },
    failed_authentications: {
      primaryKey: ['account_id', 'application_id', 'hour'],
      condition: Prisma.sql`hour < ${daysAgo(rejectionRetentionDays)}`,
    },
    rejected_requests: {
      primaryKey: ['account_id', 'application_id', 'created_at', 'id'],
      condition: createdBefore(daysAgo(rejectionRetentionDays)),
      byAccount: true,
    },
  };
  const deleteRows = (table: string, expired: Expired) => () =>
    expired.byAccount && database.isDistributed()
      ? deleteByAccount(database, table, expired)
      : prisma.$executeRaw(deleteExpired(table, expired));
  return Object.fromEntries(
    Object.entries(batches).map(([table, batch]) => [
      table,
      typeof batch === 'function' ? batch : deleteRows(table, { limit: batchSize, ...batch }),
    ]),
  );
}
