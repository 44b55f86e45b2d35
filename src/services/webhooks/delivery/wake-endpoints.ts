import type { Database } from '../../../database/client.js';
import { allAccounts, withScope } from '../../../database/scope.js';

/**
 * Makes the endpoints of accounts with new events due. The transaction that marks an event as noticed also makes its
 * endpoints due, so that no event is missed when a process stops. Without new events it is one statement.
 */
export function wakeEndpoints({ prisma }: Pick<Database, 'prisma'>, now: Date): Promise<void> {
  return withScope(allAccounts, async () => {
    const waiting = await prisma.$queryRaw<unknown[]>`SELECT 1 FROM webhook_wakeups LIMIT 1`;
    if (waiting.length === 0) return;
    await prisma.$transaction(async (tx) => {
      const woken = await tx.$queryRaw<
        { id: string }[]
      >`DELETE FROM webhook_wakeups RETURNING account_id AS id`;
      const accounts = [...new Set(woken.map(({ id }) => id))];
      if (accounts.length === 0) return;
      // In the order of their keys, so that processes do not deadlock.
      await tx.$executeRaw`
        WITH locked AS MATERIALIZED (
          SELECT account_id, id FROM webhook_endpoints
          WHERE account_id = ANY (${accounts}) AND paused_at IS NULL ORDER BY account_id, id FOR UPDATE)
        UPDATE webhook_endpoints AS stored
        SET wakeups = stored.wakeups + 1, due_at = coalesce(stored.due_at, ${now})
        FROM locked WHERE stored.account_id = locked.account_id AND stored.id = locked.id`;
    });
  });
}
