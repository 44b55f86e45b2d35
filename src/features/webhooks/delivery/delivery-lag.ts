import type { Database } from '../../../platform/database/client.js';
import { allAccounts, withScope } from '../../../platform/database/scope.js';

/**
 * Returns the age in seconds of the oldest event that an endpoint waits for, of all accounts. Paused endpoints do not count.
 * Reads only endpoints that wait for an event or for the next attempt.
 */
export async function deliveryLagSeconds({ prisma }: Pick<Database, 'prisma'>, now: Date): Promise<number> {
  const [row] = await withScope(
    allAccounts,
    () => prisma.$queryRaw<{ oldest: Date | null }[]>`
      SELECT min(event.occurred_at) AS oldest
      FROM webhook_endpoints AS endpoint
      JOIN events AS event ON event.account_id = endpoint.account_id AND event.position = endpoint.position + 1
      WHERE endpoint.due_at IS NOT NULL AND endpoint.paused_at IS NULL`,
  );
  const oldest = row?.oldest ?? null;
  return oldest === null ? 0 : Math.max(0, (now.getTime() - oldest.getTime()) / 1000);
}
