/**
 * CTEs `given`, the endpoints of the JSON array $1, and `locked`, those of them that still have their lease. A statement for the
 * deliveries of several accounts starts with them.
 *
 * The LIMIT is the number of endpoints. Without it the planner estimates a hundred, and reads the whole table. The statement
 * waits for a locked endpoint for a second at most. Then the deliveries of the other accounts are stored without it.
 *
 * @param columns the further columns of an endpoint in the array, with their types
 */
export function heldEndpoints(columns: string): string {
  return `
    given AS MATERIALIZED (
      SELECT given.* FROM (SELECT set_config('lock_timeout', '1s', true)) AS setting, json_to_recordset($1::json) AS given (
        account_id text, id text, lease text, ${columns})
      LIMIT json_array_length($1::json)
    ), locked AS MATERIALIZED (
      SELECT stored.account_id, stored.id FROM webhook_endpoints AS stored JOIN given
        ON stored.account_id = given.account_id AND stored.id = given.id AND stored.lease = given.lease
      ORDER BY stored.account_id, stored.id FOR UPDATE OF stored
    )`;
}
