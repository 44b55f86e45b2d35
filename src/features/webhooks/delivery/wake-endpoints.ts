import type { Database } from '../../../platform/database/client.js';
import { allAccounts, withScope } from '../../../platform/database/scope.js';

/**
 * Makes the endpoints of accounts with new events due. The transaction that marks an event as noticed also makes its
 * endpoints due, so that no event is missed when a process stops. Without new events it is one statement.
 *
 * It does not wait for endpoints that another transaction has locked, which would delay all accounts: they are woken at the next
 * call.
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
      const locked = await tx.$queryRaw<{ id: string }[]>`
        WITH endpoint AS MATERIALIZED (
          SELECT account_id, id FROM webhook_endpoints WHERE account_id = ANY (${accounts}) AND paused_at IS NULL
        ), free AS MATERIALIZED (
          SELECT stored.account_id, stored.id FROM webhook_endpoints AS stored
          JOIN endpoint ON endpoint.account_id = stored.account_id AND endpoint.id = stored.id
          WHERE stored.paused_at IS NULL
          ORDER BY stored.account_id, stored.id FOR UPDATE OF stored SKIP LOCKED
        ), changed AS (
          UPDATE webhook_endpoints AS stored
          SET wakeups = stored.wakeups + 1, due_at = coalesce(stored.due_at, ${now})
          FROM free WHERE stored.account_id = free.account_id AND stored.id = free.id)
        SELECT DISTINCT account_id AS id FROM endpoint
        WHERE NOT EXISTS (SELECT FROM free WHERE free.account_id = endpoint.account_id AND free.id = endpoint.id)`;
      if (locked.length === 0) return;
      await tx.webhookWakeup.createMany({ data: locked.map(({ id }) => ({ accountId: id })) });
    });
  });
}
