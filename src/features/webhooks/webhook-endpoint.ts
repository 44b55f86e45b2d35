import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditContext } from '../../platform/audit/audit-log.js';
import type { Unit } from '../../platform/changes/change.js';
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

/** A URL without its query, which may have a secret. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url);
  return `${origin}${pathname}`;
}

/**
 * Pauses the webhook endpoints of an application whose access is revoked. Without its lease, a process that has claimed an
 * endpoint no longer starts an attempt.
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
