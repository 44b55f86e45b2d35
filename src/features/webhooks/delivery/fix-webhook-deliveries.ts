import type { HotStatement } from '../../../platform/database/hot/hot-statement.js';
import { heldEndpoints } from './held-endpoints.js';

/**
 * Stores the events of deliveries from a JSON array, before each attempt. Returns the endpoints that still had the lease.
 *
 * Benchmark `webhook-deliveries-small` (target: 0.6 times a loop that sends finished bodies); tested in
 * test/webhooks/deliveries.test.ts.
 */
export const fixWebhookDeliveries: HotStatement = {
  name: 'fix_webhook_deliveries',
  isOnCoordinator: true,
  text: `
    WITH ${heldEndpoints('delivery_id text, delivery_end bigint')}
    UPDATE webhook_endpoints AS stored SET delivery_id = given.delivery_id, delivery_end = given.delivery_end
    FROM locked JOIN given ON given.account_id = locked.account_id AND given.id = locked.id
    WHERE stored.account_id = locked.account_id AND stored.id = locked.id
    RETURNING stored.account_id, stored.id`,
};
