import { dayMilliseconds, hourMilliseconds } from '../../../platform/clock.js';
import type { Database, PreparedStatement } from '../../../platform/database/client.js';
import type { WebhookAttempt } from '../../../platform/database/generated/client.js';
import { allAccounts } from '../../../platform/database/scope.js';
import { maxRetryDays, type PauseReason } from '../webhook-endpoint.js';
import { type ClaimedEndpoint, type LeasedRow, leasedEndpoints, leaseStillHeld } from './claim-endpoints.js';
import type { DeliveryAttempt } from './webhook-sender.js';

/** An attempt without its place among those of its endpoint. */
export type StoredAttempt = Omit<WebhookAttempt, 'accountId' | 'endpointId' | 'slot' | 'number'>;

/** An endpoint after a delivery. */
export interface EndpointOutcome extends ClaimedEndpoint {
  readonly pausedAt: Date | null;
  readonly pauseReason: PauseReason | null;
  /** When the endpoint is due again; `null`: at the next event. */
  readonly dueAt: Date | null;
  /** `null`: nothing was sent. */
  readonly attempt: StoredAttempt | null;
}

const firstRetryMilliseconds = 5_000;

const longestRetryMilliseconds = 8 * hourMilliseconds;

/** Milliseconds after the first failure at which an endpoint is paused. */
const maxRetryDurationMs = maxRetryDays * dayMilliseconds;

/**
 * Returns when a delivery is repeated: after 5 seconds, then after twice as long each time, up to 8 hours, each time up to a
 * quarter longer so that endpoints do not retry together. `Retry-After` may make it later, up to 8 hours.
 *
 * @param failures failed attempts of the delivery, from 1
 * @param retryAfter value of the header: seconds or an HTTP date (RFC 9110 section 10.2.3)
 */
function retryTime(
  now: Date,
  { failures, retryAfter }: { failures: number; retryAfter: string | null },
): Date {
  const backoff = Math.min(
    firstRetryMilliseconds * 2 ** Math.min(failures - 1, 20),
    longestRetryMilliseconds,
  );
  const asked = Math.min(readRetryAfter(now, retryAfter), longestRetryMilliseconds);
  const delay = Math.max(backoff * (1 + Math.random() / 4), asked);
  return new Date(now.getTime() + Math.round(delay));
}

function readRetryAfter(now: Date, value: string | null): number {
  if (value === null) return 0;
  if (/^\d+$/.test(value)) return Number(value) * 1000;
  const time = Date.parse(value);
  return Number.isNaN(time) ? 0 : time - now.getTime();
}

const notPaused = { pausedAt: null, pauseReason: null };

/** All events up to a position were delivered, or skipped because the endpoint does not get them. */
export function advanced(
  endpoint: ClaimedEndpoint,
  next: { position: bigint; dueAt: Date | null; attempt: StoredAttempt | null },
): EndpointOutcome {
  const noDelivery = { deliveryId: null, deliveryEnd: null, failures: 0, failingSince: null };
  return { ...endpoint, ...noDelivery, ...notPaused, ...next };
}

/** Nothing more is sent until the endpoint is resumed. */
export function paused(
  endpoint: ClaimedEndpoint,
  pauseReason: PauseReason,
  pausedAt: Date,
  attempt: StoredAttempt | null = null,
): EndpointOutcome {
  return { ...endpoint, pausedAt, pauseReason, dueAt: null, attempt };
}

/**
 * The attempt failed. The same delivery is repeated later, or the endpoint is paused.
 *
 * @param endpoint with the delivery
 */
export function failed(
  endpoint: ClaimedEndpoint,
  { status, retryAfter }: DeliveryAttempt,
  attempt: StoredAttempt,
  at: Date,
): EndpointOutcome {
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? at;
  const tried = { ...endpoint, failures, failingSince };
  if (status === 410) return paused(tried, 'gone', at, attempt);
  if (at.getTime() - failingSince.getTime() >= maxRetryDurationMs)
    return paused(tried, 'failing', at, attempt);
  return { ...tried, ...notPaused, dueAt: retryTime(at, { failures, retryAfter }), attempt };
}

/**
 * This process stopped during the attempt, which does not count as a failure. Another process repeats the delivery.
 *
 * @param endpoint with the delivery
 */
export function interrupted(endpoint: ClaimedEndpoint, dueAt: Date): EndpointOutcome {
  return { ...endpoint, ...notPaused, dueAt, attempt: null };
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
    SELECT account_id AS "accountId", id FROM ended`,
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
  const rows = await runPrepared<LeasedRow>(storeWebhookOutcomes, values, allAccounts);
  return leaseStillHeld(rows, outcomes);
}

/** An absent column is NULL. */
function toRow({ attempt, ...outcome }: EndpointOutcome) {
  return {
    account_id: outcome.accountId,
    id: outcome.id,
    lease: outcome.lease,
    wakeups: outcome.wakeups,
    position: String(outcome.position),
    delivery_id: outcome.deliveryId,
    delivery_end: outcome.deliveryEnd?.toString(),
    failures: outcome.failures,
    failing_since: outcome.failingSince,
    paused_at: outcome.pausedAt,
    pause_reason: outcome.pauseReason,
    due_at: outcome.dueAt,
    attempted: attempt === null ? 0 : 1,
    attempt_delivery: attempt?.deliveryId,
    first_position: attempt?.firstPosition?.toString(),
    last_position: attempt?.lastPosition?.toString(),
    events: attempt?.events,
    attempted_at: attempt?.attemptedAt,
    duration_ms: attempt?.durationMs,
    status: attempt?.status,
    error: attempt?.error,
    response: attempt?.response,
  };
}
