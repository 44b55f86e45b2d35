import { Prisma } from '../../database/client.js';
import { TooManyKeysError } from './idempotent-request.js';

/**
 * Counts a new key of an application. The count is exact under concurrency: its row stays locked until the transaction
 * ends. To keep that short, this is the last statement of the transaction. Expired keys count until they are deleted.
 *
 * @param maximum keys that an application may have; 0 is any number
 * @throws {TooManyKeysError} when there are more
 */
export async function countKey(
  tx: Prisma.TransactionClient,
  applicationId: string,
  maximum: number,
): Promise<void> {
  const { keys } = await tx.idempotencyCount.upsert({
    where: { applicationId },
    create: { applicationId, keys: 1 },
    update: { keys: { increment: 1 } },
  });
  if (maximum > 0 && keys > maximum) throw new TooManyKeysError();
}

/**
 * A statement that deletes up to `batchSize` expired keys and lowers the counts of their applications. It returns one row
 * with the number of deleted keys as `count`.
 */
export function deleteExpiredKeys(now: Date, batchSize: number): Prisma.Sql {
  // Counts are locked in the order of their applications: processes that prune at the same time do not deadlock.
  return Prisma.sql`
    WITH gone AS (
      DELETE FROM idempotency_keys WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM idempotency_keys WHERE expires_at < ${now} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED))
      RETURNING application_id
    ), deleted AS (
      SELECT application_id, count(*)::int AS keys FROM gone GROUP BY application_id
    ), locked AS MATERIALIZED (
      SELECT application_id FROM idempotency_key_counts
      WHERE application_id IN (SELECT application_id FROM deleted) ORDER BY application_id FOR UPDATE
    ), lowered AS (
      UPDATE idempotency_key_counts AS total SET keys = greatest(0, total.keys - deleted.keys)
      FROM deleted JOIN locked USING (application_id) WHERE total.application_id = deleted.application_id
    )
    SELECT count(*)::int AS count FROM gone`;
}
