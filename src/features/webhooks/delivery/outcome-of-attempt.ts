import type { PauseReason } from '../webhook-endpoint.js';
import type { ClaimedEndpoint } from './claim-endpoints.js';
import { patienceMilliseconds, retryTime } from './retry-time.js';
import type { EndpointOutcome, StoredAttempt } from './store-outcomes.js';
import type { Attempt } from './webhook-sender.js';

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
  }: { deliveryId: string; end: bigint; attempt: Attempt; stored: StoredAttempt; at: Date },
): EndpointOutcome {
  const failures = endpoint.failures + 1;
  const failingSince = endpoint.failingSince ?? at;
  const tried: ClaimedEndpoint = { ...endpoint, deliveryId, deliveryEnd: end, failures, failingSince };
  if (attempt.status === 410) return paused(tried, { reason: 'gone', at, attempt: stored });
  if (at.getTime() - failingSince.getTime() >= patienceMilliseconds)
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
