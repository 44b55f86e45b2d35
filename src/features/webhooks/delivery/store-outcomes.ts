import type { Database } from '../../../platform/database/client.js';
import { allAccounts } from '../../../platform/database/scope.js';
import type { ClaimedEndpoint } from './claim-endpoints.js';
import { hadLease } from './had-lease.js';
import { storeWebhookOutcomes } from './store-webhook-outcomes.js';

/** The state of an endpoint after a delivery. */
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
 * Stores outcomes and their attempts with one statement, and releases the leases.
 *
 * @returns for each outcome, whether the endpoint still had the lease
 */
export async function storeOutcomes(
  { runHot }: Pick<Database, 'runHot'>,
  outcomes: readonly EndpointOutcome[],
  now: Date,
): Promise<boolean[]> {
  const values = [JSON.stringify(outcomes.map(toRow)), now.toISOString(), String(keptAttempts)];
  const rows = await runHot(storeWebhookOutcomes, values, allAccounts);
  return hadLease(rows, outcomes);
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
