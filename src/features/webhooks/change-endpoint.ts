import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditContext } from '../../platform/audit/audit-context.js';
import { type AuditEvent, type AuditEventType, recordIn } from '../../platform/audit/audit-log.js';
import type { Database, Prisma } from '../../platform/database/client.js';

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
export interface EndpointKey {
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
