import { Prisma } from '../database/client.js';
import { type IdempotentRequest, TooManyKeysError } from './idempotent-request.js';

/**
 * Counts a new key of an application. The count is exact under concurrency, because its row is locked until the transaction
 * ends. Call it last in the transaction, so that the lock is short. Expired keys count until they are deleted.
 *
 * @param maximum maximum number of keys of an application; 0: no limit
 * @throws {TooManyKeysError} when there are more
 */
export async function countKey(
  tx: Prisma.TransactionClient,
  { accountId, applicationId }: Pick<IdempotentRequest, 'accountId' | 'applicationId'>,
  maximum: number,
): Promise<void> {
  const { keys } = await tx.idempotencyCount.upsert({
    where: { accountId_applicationId: { accountId, applicationId } },
    create: { accountId, applicationId, keys: 1 },
    update: { keys: { increment: 1 } },
  });
  if (maximum > 0 && keys > maximum) throw new TooManyKeysError();
}

/**
 * Builds a statement that deletes up to `batchSize` expired keys and decrements the counts of their applications. It
 * returns one row with the number of deleted keys as `count`.
 */
export function deleteExpiredKeys(now: Date, batchSize: number): Prisma.Sql {
  // Counts are locked in the order of their applications, so that processes that prune at the same time do not deadlock.
  return Prisma.sql`
    WITH expired AS MATERIALIZED (
      SELECT account_id, application_id, user_id, key FROM idempotency_keys
      WHERE expires_at < ${now} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
    ), deleted_keys AS (
      DELETE FROM idempotency_keys stored USING expired
      WHERE stored.account_id = expired.account_id AND stored.application_id = expired.application_id
        AND stored.user_id = expired.user_id AND stored.key = expired.key
      RETURNING stored.account_id, stored.application_id
    ), deleted AS (
      SELECT account_id, application_id, count(*)::int AS keys FROM deleted_keys GROUP BY 1, 2
    ), locked AS MATERIALIZED (
      SELECT account_id, application_id FROM idempotency_key_counts
      WHERE (account_id, application_id) IN (SELECT account_id, application_id FROM deleted)
      ORDER BY account_id, application_id FOR UPDATE
    ), decremented AS (
      UPDATE idempotency_key_counts AS total SET keys = greatest(0, total.keys - deleted.keys)
      FROM deleted JOIN locked USING (account_id, application_id)
      WHERE total.account_id = deleted.account_id AND total.application_id = deleted.application_id
    )
    SELECT count(*)::int AS count FROM deleted_keys`;
}
