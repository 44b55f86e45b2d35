import { type AccountId, toAccountId } from '../../../platform/accounts/account-id.js';
import type { Database } from '../../../platform/database/client.js';
import type { TextRow } from '../../../platform/database/hot/hot-statement.js';
import { randomId } from '../../../platform/database/ids.js';
import { allAccounts } from '../../../platform/database/scope.js';
import { claimWebhookEndpoints } from './claim-webhook-endpoints.js';

/** Milliseconds after which another process takes over an endpoint. An attempt takes half of it at most. */
export const leaseMilliseconds = 30_000;

/** An endpoint that this process delivers to. */
export interface ClaimedEndpoint {
  readonly accountId: AccountId;
  readonly id: string;
  /** Changes are stored only while the endpoint has this lease. */
  readonly lease: string;
  readonly leaseEnd: Date;
  readonly applicationId: string;
  readonly url: string;
  readonly eventTypes: readonly string[];
  readonly sealedSecret: string;
  readonly sealedPreviousSecret: string | null;
  readonly previousSecretExpiresAt: Date | null;
  readonly position: bigint;
  /** The delivery that is repeated; `null` before its first attempt. */
  readonly deliveryId: string | null;
  readonly deliveryEnd: bigint | null;
  readonly failures: number;
  readonly failingSince: Date | null;
  readonly wakeups: number;
  /** Whether the application may receive events. */
  readonly isAllowed: boolean;
}

/** Limits of a claim. */
export interface ClaimLimits {
  readonly now: Date;
  readonly maximum: number;
  /** Maximum for an account, together with those that the process delivers to already. */
  readonly maximumOfAccount: number;
  /** Number of endpoints that the process delivers to, by account. */
  readonly running: ReadonlyMap<string, number>;
}

/** Claims endpoints that are due, first those of the accounts with the fewest deliveries. They are due again when the lease expires. */
export async function claimEndpoints(
  { runHot }: Pick<Database, 'runHot'>,
  { now, maximum, maximumOfAccount, running }: ClaimLimits,
): Promise<ClaimedEndpoint[]> {
  const full = [...running].filter(([, count]) => count >= maximumOfAccount).map(([id]) => id);
  const lease = randomId();
  const leaseEnd = new Date(now.getTime() + leaseMilliseconds);
  const rows = await runHot(
    claimWebhookEndpoints,
    [
      now.toISOString(),
      leaseEnd.toISOString(),
      lease,
      JSON.stringify(Object.fromEntries(running)),
      full.join(),
      String(maximum),
      String(maximumOfAccount),
    ],
    allAccounts,
  );
  return rows.map((row) => ({ ...toEndpoint(row), lease, leaseEnd }));
}

function toEndpoint(row: TextRow): Omit<ClaimedEndpoint, 'lease' | 'leaseEnd'> {
  const [accountId, id, applicationId, url, eventTypes, sealedSecret, sealedPreviousSecret, ...rest] = row;
  const [expiresAt, position, deliveryId, deliveryEnd, failures, failingSince, wakeups, isAllowed] = rest;
  return {
    accountId: toAccountId(accountId ?? ''),
    id: id ?? '',
    applicationId: applicationId ?? '',
    url: url ?? '',
    eventTypes: eventTypes ? eventTypes.split(',') : [],
    sealedSecret: sealedSecret ?? '',
    sealedPreviousSecret: sealedPreviousSecret ?? null,
    previousSecretExpiresAt: toDate(expiresAt),
    position: BigInt(position ?? 0),
    deliveryId: deliveryId ?? null,
    deliveryEnd: deliveryEnd == null ? null : BigInt(deliveryEnd),
    failures: Number(failures),
    failingSince: toDate(failingSince),
    wakeups: Number(wakeups),
    isAllowed: isAllowed === 'true',
  };
}

/** Reads a timestamp as PostgreSQL writes it. */
function toDate(text: string | null | undefined): Date | null {
  return text == null ? null : new Date(text);
}
