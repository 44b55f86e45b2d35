import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Database } from '../../platform/database/client.js';
import type { WebhookAttempt as AttemptRow } from '../../platform/database/generated/client.js';
import { eventId } from '../events/index.js';
import { keptAttempts } from './delivery/store-outcomes.js';

/** An attempt to deliver events. */
export interface WebhookDelivery {
  /** Id of the endpoint and number of the attempt. */
  readonly id: string;
  readonly deliveryId: string;
  /** `null` for a test. */
  readonly lastEventId: string | null;
  readonly events: number;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** Reads the last attempts of an endpoint, newest first. */
export async function readDeliveries(
  prisma: Database['prisma'],
  accountId: AccountId,
  endpointId: string,
): Promise<WebhookDelivery[]> {
  const rows = await prisma.webhookAttempt.findMany({
    where: { accountId, endpointId },
    orderBy: { number: 'desc' },
    take: keptAttempts,
  });
  return rows.map(toDelivery);
}

/** Converts a stored attempt. */
export function toDelivery(row: AttemptRow): WebhookDelivery {
  const { deliveryId, events, attemptedAt, durationMs, status, error, response } = row;
  return {
    ...{ deliveryId, events, attemptedAt, durationMs, status, error, response },
    id: `${row.endpointId}_${row.number}`,
    lastEventId: row.lastPosition === null ? null : eventId(row.accountId, row.lastPosition),
  };
}
