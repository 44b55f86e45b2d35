import type { Database } from '../../../database/client.js';
import type { ClaimedEndpoint } from './due-endpoints.js';

/** The state of an endpoint after it was looked at. */
export interface EndpointOutcome {
  readonly endpoint: ClaimedEndpoint;
  readonly position: bigint;
  readonly deliveryId: string | null;
  readonly deliveryEnd: bigint | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  /** When the endpoint is due again; `null`: at the next event. */
  readonly dueAt: Date | null;
  /** Absent: nothing was sent. */
  readonly attempt: StoredAttempt | null;
}

export interface StoredAttempt {
  readonly deliveryId: string;
  readonly firstPosition: bigint | null;
  readonly lastPosition: bigint | null;
  readonly events: number;
  readonly attemptedAt: Date;
  readonly durationMs: number;
  readonly status: number | null;
  readonly error: string | null;
  readonly response: string | null;
}

/** Attempts of an endpoint that are kept. */
export const keptAttempts = 50;

/**
 * Stores outcomes and their attempts with one statement, and ends the leases.
 *
 * @returns for each outcome, whether the endpoint still had the lease
 */
export async function storeOutcomes(
  { prisma }: Pick<Database, 'prisma'>,
  outcomes: readonly EndpointOutcome[],
  now: Date,
): Promise<boolean[]> {
  const rows = await prisma.$queryRaw<{ accountId: string; id: string }[]>`
    WITH given AS MATERIALIZED (
      SELECT * FROM json_to_recordset(${JSON.stringify(outcomes.map(toRow))}::json) AS given (
        account_id text, id text, lease text, wakeups int, position bigint, delivery_id text, delivery_end bigint,
        failures int, failing_since timestamptz, paused_at timestamptz, pause_reason text, due_at timestamptz,
        attempted int, attempt_delivery text, first_position bigint, last_position bigint, events int,
        attempted_at timestamptz, duration_ms int, status int, error text, response text)
    ), locked AS MATERIALIZED (
      SELECT stored.account_id, stored.id FROM webhook_endpoints AS stored JOIN given
        ON stored.account_id = given.account_id AND stored.id = given.id AND stored.lease = given.lease
      ORDER BY stored.account_id, stored.id FOR UPDATE OF stored
    ), ended AS (
      UPDATE webhook_endpoints AS stored
      SET position = given.position, delivery_id = given.delivery_id, delivery_end = given.delivery_end,
        failures = given.failures, failing_since = given.failing_since, paused_at = given.paused_at,
        pause_reason = given.pause_reason, lease = NULL, attempts = stored.attempts + given.attempted,
        -- An event that was added meanwhile has woken the endpoint.
        due_at = CASE WHEN given.paused_at IS NOT NULL THEN NULL
          WHEN given.due_at IS NULL AND stored.wakeups <> given.wakeups THEN ${now} ELSE given.due_at END
      FROM locked JOIN given ON given.account_id = locked.account_id AND given.id = locked.id
      WHERE stored.account_id = locked.account_id AND stored.id = locked.id AND stored.lease = given.lease
      RETURNING stored.account_id, stored.id, stored.attempts AS number, given.attempted, given.attempt_delivery,
        given.first_position, given.last_position, given.events, given.attempted_at, given.duration_ms, given.status,
        given.error, given.response
    ), recorded AS (
      INSERT INTO webhook_attempts AS attempt (account_id, endpoint_id, slot, number, delivery_id, first_position,
        last_position, events, attempted_at, duration_ms, status, error, response)
      SELECT account_id, id, (number % ${keptAttempts})::int, number, attempt_delivery, first_position, last_position,
        events, attempted_at, duration_ms, status, error, response
      FROM ended WHERE attempted = 1
      ON CONFLICT (account_id, endpoint_id, slot) DO UPDATE SET number = excluded.number,
        delivery_id = excluded.delivery_id, first_position = excluded.first_position,
        last_position = excluded.last_position, events = excluded.events, attempted_at = excluded.attempted_at,
        duration_ms = excluded.duration_ms, status = excluded.status, error = excluded.error,
        response = excluded.response
    )
    SELECT account_id AS "accountId", id FROM ended`;
  const ended = new Set(rows.map(({ accountId, id }) => `${accountId} ${id}`));
  return outcomes.map(({ endpoint: { accountId, id } }) => ended.has(`${accountId} ${id}`));
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
