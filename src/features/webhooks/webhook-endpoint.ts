import type { AccountId } from '../../platform/accounts/account-id.js';
import type { ChangeContext } from '../../platform/changes/change.js';
import type { WebhookEndpoint as EndpointRow } from '../../platform/database/generated/client.js';
import { eventId } from '../events/index.js';

/** The application that an endpoint belongs to. */
export interface EndpointOwner {
  readonly accountId: AccountId;
  readonly applicationId: string;
}

/** Who changes an endpoint of the owner. Without a user and an origin, the operator at the command line. */
export interface EndpointContext extends EndpointOwner, Pick<ChangeContext, 'userId' | 'origin' | 'at'> {
  /**
   * Generation of the application when the request was authenticated; absent: a change without a token. After all access was
   * revoked, a request that was already authenticated changes nothing: its endpoint would get events without a token.
   */
  readonly generation?: number;
}

/** Days after the first failure of a delivery at which its endpoint is paused. */
export const maxRetryDays = 3;

/** The reason why an endpoint is paused. */
export type PauseReason = 'failing' | 'gone' | 'expired' | 'access' | 'revoked';

/** A URL to which events of an account are sent. */
export interface WebhookEndpoint {
  readonly id: string;
  readonly url: string;
  readonly description: string | null;
  /** Types of the events that are sent; empty: all. */
  readonly eventTypes: readonly string[];
  readonly status: 'enabled' | 'paused';
  readonly pausedAt: Date | null;
  readonly pauseReason: PauseReason | null;
  /** When the first attempt of the current delivery failed. */
  readonly failingSince: Date | null;
  /** Cursor of the last event that was delivered or skipped. */
  readonly lastEventId: string;
  readonly previousSecretExpiresAt: Date | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** Converts a stored row, without its secrets. */
export function toWebhookEndpoint(row: EndpointRow): WebhookEndpoint {
  return {
    id: row.id,
    url: row.url,
    description: row.description,
    eventTypes: row.eventTypes,
    status: row.pausedAt === null ? 'enabled' : 'paused',
    pausedAt: row.pausedAt,
    pauseReason: row.pauseReason as PauseReason | null,
    failingSince: row.failingSince,
    lastEventId: eventId(row.accountId, row.position),
    previousSecretExpiresAt: row.previousSecretExpiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

/** The details of an audit event that identify its endpoint. The URL is without its query, which may have a secret. */
export function endpointDetails({ id, url }: Pick<EndpointRow, 'id' | 'url'>): {
  readonly endpoint: string;
  readonly url: string;
} {
  const { origin, pathname } = new URL(url);
  return { endpoint: id, url: `${origin}${pathname}` };
}
