import type { WebhookEndpoint as EndpointRow } from '../../platform/database/generated/client.js';
import { eventId } from '../events/index.js';

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
  /** A {@link PauseReason}. */
  readonly pauseReason: string | null;
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
    pauseReason: row.pauseReason,
    failingSince: row.failingSince,
    lastEventId: eventId(row.accountId, row.position),
    previousSecretExpiresAt: row.previousSecretExpiresAt,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}
