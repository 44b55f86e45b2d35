import type { Database } from '../../../database/client.js';
import type { ClaimedEndpoint } from './due-endpoints.js';

/** A delivery that is sent for the first time. */
export interface NewDelivery {
  readonly endpoint: ClaimedEndpoint;
  readonly deliveryId: string;
  /** Position of the last event. */
  readonly end: bigint;
}

/** Stores which events deliveries have, before their first attempts. */
export async function fixDeliveries(
  { prisma }: Pick<Database, 'prisma'>,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  if (deliveries.length === 0) return;
  const given = deliveries.map(({ endpoint, deliveryId, end }) => ({
    account_id: endpoint.accountId,
    id: endpoint.id,
    lease: endpoint.lease,
    delivery_id: deliveryId,
    delivery_end: String(end),
  }));
  await prisma.$executeRaw`
    WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(given)}::json) AS given (
        account_id text, id text, lease text, delivery_id text, delivery_end bigint)
    ), locked AS MATERIALIZED (
      SELECT stored.account_id, stored.id FROM webhook_endpoints AS stored JOIN given
        ON stored.account_id = given.account_id AND stored.id = given.id AND stored.lease = given.lease
      ORDER BY stored.account_id, stored.id FOR UPDATE OF stored)
    UPDATE webhook_endpoints AS stored SET delivery_id = given.delivery_id, delivery_end = given.delivery_end
    FROM locked JOIN given ON given.account_id = locked.account_id AND given.id = locked.id
    WHERE stored.account_id = locked.account_id AND stored.id = locked.id`;
}
