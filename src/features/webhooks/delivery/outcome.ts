import { dayMilliseconds } from '../../../platform/clock.js';
import { maxRetryDays, type PauseReason } from '../webhook-endpoint.js';
import type { ClaimedEndpoint } from './claim-endpoints.js';
import type { DeliveryAttempt } from './webhook-sender.js';

/** The state of an endpoint after a delivery. */
export interface EndpointOutcome {
  readonly endpoint: ClaimedEndpoint;
  readonly position: bigint;
  readonly deliveryId: string | null;
  readonly deliveryEnd: bigint | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly pausedAt: Date | null;
  readonly pauseReason: PauseReason | null;
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

const firstRetryMilliseconds = 5_000;

const longestRetryMilliseconds = 8 * 3_600_000;

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

/** All events up to a position were delivered, or skipped because of their types. */
export function advanced(
  endpoint: ClaimedEndpoint,
  { position, dueAt, attempt }: { position: bigint; dueAt: Date | null; attempt: StoredAttempt | null },
): EndpointOutcome {
  return { endpoint, position, dueAt, attempt, ...noDelivery, pausedAt: null, pauseReason: null };
}

/** Nothing more is sent until the endpoint is resumed. */
export function paused(
  endpoint: ClaimedEndpoint,
  { reason, at, attempt = null }: { reason: PauseReason; at: Date; attempt?: StoredAttempt | null },
): EndpointOutcome {
  const { position, deliveryId, deliveryEnd, failures, failingSince } = endpoint;
  return {
    ...{ endpoint, position, deliveryId, deliveryEnd, failures, failingSince, attempt },
    pausedAt: at,
    pauseReason: reason,
    dueAt: null,
  };
}

/** The attempt failed. The same delivery is repeated later, or the endpoint is paused. */
export function failed(
  endpoint: ClaimedEndpoint,
  {
    deliveryId,
    end,
    attempt,
    stored,
    at,
  }: { deliveryId: string; end: bigint; attempt: DeliveryAttempt; stored: StoredAttempt; at: Date },
): EndpointOutcome {
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? at;
  const tried: ClaimedEndpoint = { ...endpoint, deliveryId, deliveryEnd: end, failures, failingSince };
  if (attempt.status === 410) return paused(tried, { reason: 'gone', at, attempt: stored });
  if (at.getTime() - failingSince.getTime() >= maxRetryDurationMs)
    return paused(tried, { reason: 'failing', at, attempt: stored });
  return {
    endpoint,
    position: endpoint.position,
    deliveryId,
    deliveryEnd: end,
    failures,
    failingSince,
    pausedAt: null,
    pauseReason: null,
    dueAt: retryTime(at, { failures, retryAfter: attempt.retryAfter }),
    attempt: stored,
  };
}

/** This process stopped during the attempt, which does not count as a failure. Another process repeats the delivery. */
export function interrupted(
  endpoint: ClaimedEndpoint,
  { deliveryId, end, at }: { deliveryId: string; end: bigint; at: Date },
): EndpointOutcome {
  const { position, failures, failingSince } = endpoint;
  return {
    ...{ endpoint, position, deliveryId, deliveryEnd: end, failures, failingSince, attempt: null },
    ...{ pausedAt: null, pauseReason: null, dueAt: at },
  };
}

const noDelivery = { deliveryId: null, deliveryEnd: null, failures: 0, failingSince: null };
