import type { HotStatement } from '../../../platform/database/hot/hot-statement.js';

/** Candidate endpoints of a claim. More than are claimed, because of the limit for an account. */
const maximumConsidered = 1_000;

/**
 * Claims webhook endpoints that are due. Accounts take turns: those with the fewest deliveries are first, and within an account
 * the endpoint that waits longest. They are due again when the lease expires. Parameters: the current time, the end of the
 * lease, the lease, the number of endpoints that the process delivers to as a JSON object by account, those of these accounts
 * that are at their limit, separated by commas, the maximum, and the maximum for an account.
 *
 * OFFSET 0 makes the planner look up the rows to lock by primary key. With statistics from a time without due endpoints, it
 * would read all due endpoints for each one.
 *
 * Benchmark `webhook-deliveries-small` (target: 0.6 times a loop that sends finished bodies); tested in
 * test/webhooks/deliveries.test.ts.
 */
export const claimWebhookEndpoints: HotStatement = {
  name: 'claim_webhook_endpoints',
  isOnCoordinator: true,
  text: `
    WITH considered AS MATERIALIZED (
      SELECT account_id, id, due_at, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS place
      FROM (
        SELECT account_id, id, due_at FROM webhook_endpoints
        WHERE due_at <= $1::timestamptz AND paused_at IS NULL AND account_id <> ALL (string_to_array($5, ','))
        ORDER BY due_at LIMIT ${maximumConsidered}) AS waiting
    ), due AS MATERIALIZED (
      SELECT stored.account_id, stored.id
      FROM (
        SELECT considered.account_id, considered.id
        FROM considered
        LEFT JOIN json_each_text($4::json) AS running (account_id, count) ON running.account_id = considered.account_id
        WHERE considered.place <= $7::integer - coalesce(running.count::integer, 0)
        ORDER BY considered.place + coalesce(running.count::integer, 0), considered.due_at
      ) AS candidate
      CROSS JOIN LATERAL (
        SELECT account_id, id, due_at, paused_at FROM webhook_endpoints
        WHERE webhook_endpoints.account_id = candidate.account_id AND webhook_endpoints.id = candidate.id
        OFFSET 0 FOR UPDATE SKIP LOCKED
      ) AS stored
      WHERE stored.due_at <= $1::timestamptz AND stored.paused_at IS NULL
      LIMIT $6::integer)
    UPDATE webhook_endpoints AS endpoint SET due_at = $2::timestamptz, lease = $3
    FROM due JOIN applications AS application ON application.account_id = due.account_id
    WHERE endpoint.account_id = due.account_id AND endpoint.id = due.id AND application.id = endpoint.application_id
    RETURNING endpoint.account_id, endpoint.id, endpoint.application_id, endpoint.url,
      array_to_string(endpoint.event_types, ','), endpoint.sealed_secret, endpoint.sealed_previous_secret,
      endpoint.previous_secret_expires_at::text, endpoint.position::text, endpoint.delivery_id,
      endpoint.delivery_end::text, endpoint.failures::text, endpoint.failing_since::text, endpoint.wakeups::text,
      (application.client_type = 'confidential' AND 'reports:read' = ANY (application.scopes))::text`,
};
