import type { Database } from '../../../database/client.js';
import { randomId } from '../../../database/ids.js';
import { type AccountId, toAccountId } from '../../account-id.js';

/** Milliseconds after which another process takes over an endpoint. An attempt takes half of it at most. */
export const leaseMilliseconds = 30_000;

/** An endpoint that this process delivers to. */
export interface ClaimedEndpoint {
  readonly accountId: AccountId;
  readonly id: string;
  /** Every change is made only while the endpoint still has it. */
  readonly lease: string;
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
  /** Of the application. */
  readonly clientType: string;
  readonly scopes: readonly string[];
}

/**
 * Makes the endpoints of accounts with new events due. The transaction that takes notice of an event also makes its endpoints
 * due, so that no event is missed when a process stops. Without new events it is one statement.
 */
export async function wakeEndpoints({ prisma }: Pick<Database, 'prisma'>, now: Date): Promise<void> {
  const waiting = await prisma.$queryRaw<unknown[]>`SELECT 1 FROM webhook_wakeups LIMIT 1`;
  if (waiting.length === 0) return;
  await prisma.$transaction(async (tx) => {
    const woken = await tx.$queryRaw<
      { id: string }[]
    >`DELETE FROM webhook_wakeups RETURNING account_id AS id`;
    const accounts = [...new Set(woken.map(({ id }) => id))];
    if (accounts.length === 0) return;
    // In the order of their keys, so that processes do not deadlock.
    await tx.$executeRaw`
      WITH locked AS MATERIALIZED (
        SELECT account_id, id FROM webhook_endpoints
        WHERE account_id = ANY (${accounts}) AND paused_at IS NULL ORDER BY account_id, id FOR UPDATE)
      UPDATE webhook_endpoints AS stored
      SET wakeups = stored.wakeups + 1, due_at = coalesce(stored.due_at, ${now})
      FROM locked WHERE stored.account_id = locked.account_id AND stored.id = locked.id`;
  });
}

/** How many endpoints a process claims. */
export interface ClaimLimits {
  readonly now: Date;
  readonly maximum: number;
  /** Maximum for an account, together with those that the process delivers to already. */
  readonly maximumOfAccount: number;
  /** Number of endpoints that the process delivers to, by account. */
  readonly running: ReadonlyMap<string, number>;
}

/** Endpoints that are considered in a claim. They are more than those claimed, because an account has a limit. */
const maximumConsidered = 1_000;

/** Takes endpoints that are due, the longest waiting first. They are due again when the lease ends. */
export async function claimEndpoints(
  { prisma }: Pick<Database, 'prisma'>,
  { now, maximum, maximumOfAccount, running }: ClaimLimits,
): Promise<ClaimedEndpoint[]> {
  const counts = JSON.stringify(Object.fromEntries(running));
  const full = [...running].filter(([, count]) => count >= maximumOfAccount).map(([id]) => id);
  const lease = randomId();
  const leaseEnd = new Date(now.getTime() + leaseMilliseconds);
  const rows = await prisma.$queryRaw<(Omit<ClaimedEndpoint, 'accountId'> & { accountId: string })[]>`
    WITH considered AS MATERIALIZED (
      SELECT account_id, id, due_at, row_number() OVER (PARTITION BY account_id ORDER BY due_at) AS place
      FROM (
        SELECT account_id, id, due_at FROM webhook_endpoints
        WHERE due_at <= ${now} AND paused_at IS NULL AND account_id <> ALL (${full}::text[])
        ORDER BY due_at LIMIT ${maximumConsidered}) AS waiting
    ), due AS MATERIALIZED (
      SELECT stored.account_id, stored.id
      FROM considered JOIN webhook_endpoints AS stored
        ON stored.account_id = considered.account_id AND stored.id = considered.id
      WHERE stored.due_at <= ${now} AND stored.paused_at IS NULL
        AND place <= ${maximumOfAccount} - coalesce((${counts}::json ->> considered.account_id)::int, 0)
      ORDER BY considered.due_at LIMIT ${maximum} FOR UPDATE OF stored SKIP LOCKED)
    UPDATE webhook_endpoints AS endpoint SET due_at = ${leaseEnd}, lease = ${lease}
    FROM due JOIN applications AS application ON application.account_id = due.account_id
    WHERE endpoint.account_id = due.account_id AND endpoint.id = due.id AND application.id = endpoint.application_id
    RETURNING endpoint.account_id AS "accountId", endpoint.id, endpoint.lease,
      endpoint.application_id AS "applicationId", endpoint.url, endpoint.event_types AS "eventTypes",
      endpoint.sealed_secret AS "sealedSecret", endpoint.sealed_previous_secret AS "sealedPreviousSecret",
      endpoint.previous_secret_expires_at AS "previousSecretExpiresAt", endpoint.position,
      endpoint.delivery_id AS "deliveryId", endpoint.delivery_end AS "deliveryEnd", endpoint.failures,
      endpoint.failing_since AS "failingSince", endpoint.wakeups, application.client_type AS "clientType",
      application.scopes`;
  return rows.map((row) => ({ ...row, accountId: toAccountId(row.accountId) }));
}
