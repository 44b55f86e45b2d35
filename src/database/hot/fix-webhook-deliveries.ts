import type { HotStatement } from './hot-statement.js';

/**
 * Stores which events deliveries have, from a JSON array. Returns the endpoints that still had the lease.
 *
 * The LIMIT is the number of endpoints. Without it the planner estimates a hundred, and reads the whole table.
 *
 * It waits for a locked endpoint for a second at most: the deliveries of other accounts share the statement, and are stored without
 * that endpoint then.
 *
 * Benchmark `webhook-deliveries-small` (target: 0.6 times a loop that sends finished bodies); tested in
 * test/webhooks/deliveries.test.ts.
 */
export const fixWebhookDeliveries: HotStatement = {
  name: 'fix_webhook_deliveries',
  isOnCoordinator: true,
  text: `
    WITH given AS MATERIALIZED (
      SELECT given.* FROM (SELECT set_config('lock_timeout', '1s', true)) AS setting, json_to_recordset($1::json) AS given (
        account_id text, id text, lease text, delivery_id text, delivery_end bigint)
      LIMIT json_array_length($1::json)
    ), locked AS MATERIALIZED (
      SELECT stored.account_id, stored.id FROM webhook_endpoints AS stored JOIN given
        ON stored.account_id = given.account_id AND stored.id = given.id AND stored.lease = given.lease
      ORDER BY stored.account_id, stored.id FOR UPDATE OF stored)
    UPDATE webhook_endpoints AS stored SET delivery_id = given.delivery_id, delivery_end = given.delivery_end
    FROM locked JOIN given ON given.account_id = locked.account_id AND given.id = locked.id
    WHERE stored.account_id = locked.account_id AND stored.id = locked.id
    RETURNING stored.account_id, stored.id`,
};
