import type { Unit } from '../../platform/changes/change.js';
import type { EndpointContext, PauseReason } from './webhook-endpoint.js';

/**
 * Pauses the webhook endpoints of an application whose access is revoked. Without its lease, a process that has claimed an endpoint no longer starts an attempt.
 *
 * @returns number of endpoints that were not paused before
 */
export async function pauseEndpoints({ tx, context }: Unit<EndpointContext>): Promise<number> {
  const { accountId, applicationId, at } = context;
  const locked = await tx.$queryRaw<{ id: string }[]>`
    SELECT id FROM webhook_endpoints
    WHERE account_id = ${accountId} AND application_id = ${applicationId} AND paused_at IS NULL
    ORDER BY id FOR UPDATE`;
  const pauseReason: PauseReason = 'revoked';
  const { count } = await tx.webhookEndpoint.updateMany({
    where: { accountId, id: { in: locked.map(({ id }) => id) } },
    data: { pausedAt: at, pauseReason, dueAt: null, lease: null, updatedAt: at },
  });
  return count;
}
