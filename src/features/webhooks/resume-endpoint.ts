import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { eventPosition, findStart } from '../events/index.js';
import { changeEndpoint, type EndpointContext, recordEndpointEvent } from './change-endpoint.js';
import { toWebhookEndpoint, type WebhookEndpoint } from './webhook-endpoint.js';

/** Where an endpoint continues: after the event of a cursor, or after the last event of the feed. */
export type ResumePoint = { readonly after: string } | 'end';

export type ResumedEndpoint =
  | { readonly kind: 'resumed'; readonly endpoint: WebhookEndpoint }
  | { readonly kind: 'unknown' | 'invalid_cursor' | 'expired' };

/**
 * Continues to send events, also to an endpoint that is not paused.
 *
 * @param options.from absent: where the endpoint stopped
 * @param options.cutoff events before this time are no longer kept
 */
export function resumeEndpoint(
  prisma: Database['prisma'],
  context: EndpointContext,
  id: string,
  { from, cutoff }: { from: ResumePoint | undefined; cutoff: Date },
): Promise<ResumedEndpoint> {
  const { accountId, at } = context;
  return changeEndpoint(prisma, context, id, async (tx, where): Promise<ResumedEndpoint> => {
    const stored = await tx.webhookEndpoint.findFirstOrThrow({ where: where.accountId_id });
    const position = from === undefined ? stored.position : await findPosition(tx, accountId, from);
    if (position === null) return { kind: 'invalid_cursor' };
    const start = await findStart(tx, accountId, { start: { after: position }, cutoff });
    if (start.kind === 'unknown') return { kind: 'invalid_cursor' };
    if (start.kind === 'expired') return { kind: 'expired' };
    const row = await tx.webhookEndpoint.update({
      where,
      data: {
        position,
        // A moved endpoint gets other events, and so another delivery.
        ...(from !== undefined && { deliveryId: null, deliveryEnd: null }),
        ...{ failures: 0, failingSince: null, pausedAt: null, pauseReason: null, lease: null },
        dueAt: at,
        updatedAt: at,
      },
    });
    const endpoint = toWebhookEndpoint(row);
    await recordEndpointEvent(tx, 'webhook_endpoint.resumed', context, row, { after: endpoint.lastEventId });
    return { kind: 'resumed', endpoint };
  });
}

/** @returns `null` for an invalid cursor */
async function findPosition(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  from: ResumePoint,
): Promise<bigint | null> {
  if (from !== 'end') return eventPosition(accountId, from.after);
  const totals = await tx.accountTotals.findFirst({ where: { accountId }, select: { events: true } });
  return totals?.events ?? null;
}
