import type { Database } from '../../../platform/database/client.js';
import { allAccounts } from '../../../platform/database/scope.js';
import type { ClaimedEndpoint } from './claim-endpoints.js';
import { fixWebhookDeliveries } from './fix-webhook-deliveries.js';
import { hadLease } from './had-lease.js';

/** A delivery that is about to be sent. */
export interface NewDelivery {
  readonly endpoint: ClaimedEndpoint;
  readonly deliveryId: string;
  /** Position of the last event. */
  readonly end: bigint;
}

/**
 * Stores the events of deliveries, before their attempts.
 *
 * @returns for each delivery, whether the endpoint still had the lease
 */
export async function fixDeliveries(
  { runHot }: Pick<Database, 'runHot'>,
  deliveries: readonly NewDelivery[],
): Promise<boolean[]> {
  const given = deliveries.map(({ endpoint, deliveryId, end }) => ({
    account_id: endpoint.accountId,
    id: endpoint.id,
    lease: endpoint.lease,
    delivery_id: deliveryId,
    delivery_end: String(end),
  }));
  const rows = await runHot(fixWebhookDeliveries, [JSON.stringify(given)], allAccounts);
  return hadLease(rows, deliveries);
}
