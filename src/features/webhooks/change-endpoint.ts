import type { AccountId } from '../../platform/accounts/account-id.js';
import {
  type AuditContext,
  type AuditEvent,
  type AuditEventType,
  recordIn,
} from '../../platform/audit/audit-log.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { eventPosition, findStart } from '../events/index.js';
import { toWebhookEndpoint, type WebhookEndpoint } from './webhook-endpoint.js';

/** The application that an endpoint belongs to. */
export interface EndpointOwner {
  readonly accountId: AccountId;
  readonly applicationId: string;
}

/** Who changes an endpoint of the owner. Without a user and an origin, the operator at the command line. */
export interface EndpointContext extends EndpointOwner, Pick<AuditContext, 'origin' | 'at'> {
  readonly userId?: string | null | undefined;
  /**
   * Generation of the application when the request was authenticated; absent: a change without a token. After all access was
   * revoked, a request that was already authenticated changes nothing: its endpoint would get events without a token.
   */
  readonly generation?: number;
}

/** Unique key of an endpoint. */
interface EndpointKey {
  readonly accountId_id: { readonly accountId: string; readonly id: string };
}

/**
 * Runs a change of an endpoint of the owner in a transaction, in which its row is locked.
 *
 * @returns `unknown` also when all access of the application was revoked since the request was authenticated
 */
export async function changeEndpoint<Outcome>(
  prisma: Database['prisma'],
  { accountId, applicationId, generation }: EndpointContext,
  id: string,
  change: (tx: Prisma.TransactionClient, where: EndpointKey) => Promise<Outcome>,
): Promise<Outcome | { readonly kind: 'unknown' }> {
  return await prisma.$transaction(async (tx) => {
    const locked = await tx.$queryRaw<unknown[]>`
      SELECT 1 FROM webhook_endpoints
      WHERE account_id = ${accountId} AND application_id = ${applicationId} AND id = ${id} FOR UPDATE`;
    if (locked.length === 0) return { kind: 'unknown' };
    // After the lock, for which a revocation waits or which waits for it.
    if (generation !== undefined) {
      const where = { accountId, id: applicationId, generation };
      if ((await tx.application.count({ where })) === 0) return { kind: 'unknown' };
    }
    return await change(tx, { accountId_id: { accountId, id } });
  });
}

/** Stores the audit event of a change of an endpoint. */
export async function recordEndpointEvent(
  tx: Prisma.TransactionClient,
  type: AuditEventType & `webhook_endpoint.${string}`,
  { accountId, applicationId, userId, origin, at }: EndpointContext,
  { id, url }: { readonly id: string; readonly url: string },
  details: NonNullable<AuditEvent['details']> = {},
): Promise<void> {
  const event = { type, accountId, applicationId, userId, origin };
  await recordIn(tx, { ...event, details: { endpoint: id, url: shownUrl(url), ...details } }, at);
}

/** The URL without its query, which may have a secret. */
function shownUrl(text: string): string {
  const { origin, pathname } = new URL(text);
  return `${origin}${pathname}`;
}

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
