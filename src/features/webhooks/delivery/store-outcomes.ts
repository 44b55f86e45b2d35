import type { Database, PreparedStatement, TextRow } from '../../../platform/database/client.js';
import { allAccounts } from '../../../platform/database/scope.js';
import { type ClaimedEndpoint, leasedEndpoints } from './claim-endpoints.js';
import type { EndpointOutcome } from './outcome.js';

/** For each endpoint, whether a statement returned it, because it still had its lease. */
export function leaseStillHeld(
  rows: readonly TextRow[],
  given: readonly { readonly endpoint: ClaimedEndpoint }[],
): boolean[] {
  const held = new Set(rows.map(([accountId, id]) => `${accountId} ${id}`));
  return given.map(({ endpoint: { accountId, id } }) => held.has(`${accountId} ${id}`));
}

/**
 * Stores the states of webhook endpoints after a delivery, and the attempts, from a JSON array, and releases the leases.
 * Returns the endpoints that still had the lease. Parameters: the array, the current time, and the number of attempts that
 * are kept.
 * Benchmark and test: see `claimWebhookEndpoints`.
 */
const storeWebhookOutcomes: PreparedStatement = {
  name: 'store_webhook_outcomes',
  isOnCoordinator: true,
  text: `
    WITH ${leasedEndpoints(`wakeups int, position bigint, delivery_id text, delivery_end bigint,
        failures int, failing_since timestamptz, paused_at timestamptz, pause_reason text, due_at timestamptz,
        attempted int, attempt_delivery text, first_position bigint, last_position bigint, events int,
        attempted_at timestamptz, duration_ms int, status int, error text, response text`)}, ended AS (
      UPDATE webhook_endpoints AS stored
      SET position = given.position, delivery_id = given.delivery_id, delivery_end = given.delivery_end,
        failures = given.failures, failing_since = given.failing_since, paused_at = given.paused_at,
        pause_reason = given.pause_reason, lease = NULL, attempts = stored.attempts + given.attempted,
        -- An event that was added meanwhile has woken the endpoint.
        due_at = CASE WHEN given.paused_at IS NOT NULL THEN NULL
          WHEN given.due_at IS NULL AND stored.wakeups <> given.wakeups THEN $2::timestamptz ELSE given.due_at END
      FROM locked JOIN given ON given.account_id = locked.account_id AND given.id = locked.id
      WHERE stored.account_id = locked.account_id AND stored.id = locked.id AND stored.lease = given.lease
      RETURNING stored.account_id, stored.id, stored.attempts AS number, given.attempted, given.attempt_delivery,
        given.first_position, given.last_position, given.events, given.attempted_at, given.duration_ms, given.status,
        given.error, given.response
    ), recorded AS (
      INSERT INTO webhook_attempts AS attempt (account_id, endpoint_id, slot, number, delivery_id, first_position,
        last_position, events, attempted_at, duration_ms, status, error, response)
      SELECT account_id, id, (number % $3::integer)::int, number, attempt_delivery, first_position, last_position,
        events, attempted_at, duration_ms, status, error, response
      FROM ended WHERE attempted = 1
      ON CONFLICT (account_id, endpoint_id, slot) DO UPDATE SET number = excluded.number,
        delivery_id = excluded.delivery_id, first_position = excluded.first_position,
        last_position = excluded.last_position, events = excluded.events, attempted_at = excluded.attempted_at,
        duration_ms = excluded.duration_ms, status = excluded.status, error = excluded.error,
        response = excluded.response
    )
    SELECT account_id, id FROM ended`,
};

/** Attempts of an endpoint that are kept. */
export const keptAttempts = 50;

/**
 * Stores outcomes and their attempts with one statement, and releases the leases.
 *
 * @returns for each outcome, whether the endpoint still had the lease
 */
export async function storeOutcomes(
  { runPrepared }: Pick<Database, 'runPrepared'>,
  outcomes: readonly EndpointOutcome[],
  now: Date,
): Promise<boolean[]> {
  const values = [JSON.stringify(outcomes.map(toRow)), now.toISOString(), String(keptAttempts)];
  const rows = await runPrepared(storeWebhookOutcomes, values, allAccounts);
  return leaseStillHeld(rows, outcomes);
}

function toRow({ endpoint, attempt, ...outcome }: EndpointOutcome) {
  return {
    account_id: endpoint.accountId,
    id: endpoint.id,
    lease: endpoint.lease,
    wakeups: endpoint.wakeups,
    position: String(outcome.position),
    delivery_id: outcome.deliveryId,
    delivery_end: outcome.deliveryEnd === null ? null : String(outcome.deliveryEnd),
    failures: outcome.failures,
    failing_since: outcome.failingSince,
    paused_at: outcome.pausedAt,
    pause_reason: outcome.pauseReason,
    due_at: outcome.dueAt,
    attempted: attempt === null ? 0 : 1,
    ...(attempt !== null && {
      attempt_delivery: attempt.deliveryId,
      first_position: attempt.firstPosition === null ? null : String(attempt.firstPosition),
      last_position: attempt.lastPosition === null ? null : String(attempt.lastPosition),
      events: attempt.events,
      attempted_at: attempt.attemptedAt,
      duration_ms: attempt.durationMs,
      status: attempt.status,
      error: attempt.error,
      response: attempt.response,
    }),
  };
}
