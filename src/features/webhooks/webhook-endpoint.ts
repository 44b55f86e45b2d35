import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditContext } from '../../platform/audit/audit-log.js';
import type { Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Prisma } from '../../platform/database/client.js';
import type { WebhookEndpoint as EndpointRow } from '../../platform/database/generated/client.js';
import { eventId } from '../events/index.js';

/** The application that an endpoint belongs to. */
export interface EndpointOwner {
  readonly accountId: AccountId;
  readonly applicationId: string;
}

/** Who changes an endpoint of the owner. Without a user and an origin, the operator at the command line. */
export interface EndpointContext extends EndpointOwner, Pick<AuditContext, 'userId' | 'origin' | 'at'> {
  /**
   * Generation of the application when the request was authenticated; absent: a change without a token. After all access was
   * revoked, a request that was already authenticated changes nothing: its endpoint would get events without a token.
   */
  readonly generation?: number;
}

/** Who changes an endpoint with the form of a page. */
export interface EndpointFormContext extends EndpointContext {
  readonly userId: string;
  /** Identifies the form, so that a second submission changes nothing. */
  readonly nonce: string;
}

/** Days after the first failure of a delivery at which its endpoint is paused. */
export const maxRetryDays = 3;

/** The reason why an endpoint is paused. `manual`: by a user. */
export type PauseReason = 'failing' | 'gone' | 'expired' | 'access' | 'revoked' | 'manual';

/** A URL to which events of an account are sent, without its secrets. */
export interface WebhookEndpoint
  extends Omit<EndpointRow, 'sealedSecret' | 'sealedPreviousSecret' | 'pauseReason'> {
  readonly pauseReason: PauseReason | null;
  /** Cursor of the last event that was delivered or skipped. */
  readonly lastEventId: string;
}

export function toWebhookEndpoint({
  sealedSecret: _,
  sealedPreviousSecret: _previous,
  ...row
}: EndpointRow): WebhookEndpoint {
  const pauseReason = row.pauseReason as PauseReason | null;
  return { ...row, pauseReason, lastEventId: eventId(row.accountId, row.position) };
}

/** `retrying`: the last attempt to deliver an event failed. */
export function stateOf({
  pausedAt,
  failingSince,
}: Pick<WebhookEndpoint, 'pausedAt' | 'failingSince'>): 'paused' | 'retrying' | 'delivering' {
  if (pausedAt !== null) return 'paused';
  return failingSince === null ? 'delivering' : 'retrying';
}

/** A URL without its query, which may have a secret. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/** Records the audit event of a change of an endpoint, and returns the endpoint. */
export async function recorded(
  unit: Unit<EndpointContext>,
  event: 'created' | 'updated' | 'deleted' | 'secret_rotated' | 'paused' | 'resumed',
  row: EndpointRow,
): Promise<WebhookEndpoint> {
  const endpoint = toWebhookEndpoint(row);
  await unit.record(`webhook_endpoint.${event}`, {
    endpoint: endpoint.id,
    url: withoutQuery(endpoint.url),
    ...(event === 'resumed' && { after: endpoint.lastEventId }),
  });
  return endpoint;
}

type LockedEndpoint = Pick<EndpointRow, 'position' | 'sealedSecret' | 'previousSecretExpiresAt' | 'pausedAt'>;

/**
 * Locks a webhook endpoint of the application of the context.
 *
 * @returns `null` when there is none, and also when all access of the application was revoked since the request was
 *   authenticated, which was in the generation of the context
 */
export function lockEndpoint(id: string) {
  return async (tx: Prisma.TransactionClient, context: EndpointContext): Promise<LockedEndpoint | null> => {
    const { accountId, applicationId, generation } = context;
    // Stored responses are deleted with the endpoint, and the deletion of the application deletes both.
    if (!(await lock.existingApplication(tx, context))) return null;
    const [row] = await tx.$queryRaw<LockedEndpoint[]>`
      SELECT position, sealed_secret AS "sealedSecret", previous_secret_expires_at AS "previousSecretExpiresAt",
        paused_at AS "pausedAt"
      FROM webhook_endpoints
      WHERE account_id = ${accountId} AND application_id = ${applicationId} AND id = ${id} FOR UPDATE`;
    if (row === undefined) return null;
    // After the lock, for which a revocation waits or which waits for it.
    if (generation !== undefined) {
      const where = { accountId, id: applicationId, generation };
      if ((await tx.application.count({ where })) === 0) return null;
    }
    return row;
  };
}

export function keyOf({ accountId }: EndpointOwner, id: string) {
  return { accountId_id: { accountId, id } };
}
