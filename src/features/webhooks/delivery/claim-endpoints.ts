import { type AccountId, toAccountId } from '../../../platform/accounts/account-id.js';
import type { ClaimLimits } from '../../../platform/claim-worker.js';
import { type AttributeAccess, accessTo } from '../../../platform/contract/attribute-access.js';
import type { Database, PreparedStatement } from '../../../platform/database/client.js';
import type { WebhookEndpoint as EndpointRow } from '../../../platform/database/generated/client.js';
import { randomId } from '../../../platform/database/ids.js';
import { allAccounts } from '../../../platform/database/scope.js';

/**
 * CTEs `given`, the endpoints of the JSON array $1, and `locked`, those of them that still have their lease. A statement for the
 * deliveries of several accounts starts with them.
 *
 * The LIMIT is the number of endpoints. Without it the planner estimates a hundred, and reads the whole table. The statement
 * waits for a locked endpoint for a second at most. Then the deliveries of the other accounts are stored without it.
 *
 * @param columns the further columns of an endpoint in the array, with their types
 */
export function leasedEndpoints(columns: string): string {
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

/** An endpoint that a statement returned, because it still had its lease. */
export interface LeasedRow {
  readonly accountId: string;
  readonly id: string;
}

/** For each endpoint, whether a statement returned it. */
export function leaseStillHeld(rows: readonly LeasedRow[], endpoints: readonly ClaimedEndpoint[]): boolean[] {
  const held = new Set(rows.map(({ accountId, id }) => `${accountId} ${id}`));
  return endpoints.map(({ accountId, id }) => held.has(`${accountId} ${id}`));
}

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
const claimWebhookEndpoints: PreparedStatement = {
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
    RETURNING json_build_object('accountId', endpoint.account_id, 'id', endpoint.id,
      'applicationId', endpoint.application_id, 'url', endpoint.url, 'eventTypes', endpoint.event_types,
      'sealedSecret', endpoint.sealed_secret, 'sealedPreviousSecret', endpoint.sealed_previous_secret,
      'previousSecretExpiresAt', endpoint.previous_secret_expires_at, 'position', endpoint.position::text,
      'deliveryId', endpoint.delivery_id, 'deliveryEnd', endpoint.delivery_end::text, 'failures', endpoint.failures,
      'failingSince', endpoint.failing_since, 'wakeups', endpoint.wakeups,
      'readableAttributes', application.readable_attributes,
      'isAllowed', application.suspended_at IS NULL AND application.client_type = 'confidential'
        AND application.scopes && ARRAY['employees:read', 'reports:read'],
      'readsReports', 'reports:read' = ANY (application.scopes))::text AS endpoint`,
};

/** Milliseconds after which another process takes over an endpoint. An attempt takes half of it at most. */
const leaseMilliseconds = 30_000;

type ClaimedColumn =
  | 'id'
  | 'applicationId'
  | 'url'
  | 'eventTypes'
  | 'sealedSecret'
  | 'sealedPreviousSecret'
  | 'previousSecretExpiresAt'
  | 'position'
  | 'deliveryId'
  | 'deliveryEnd'
  | 'failures'
  | 'failingSince'
  | 'wakeups';

/** An endpoint that this process delivers to. */
export interface ClaimedEndpoint extends Readonly<Pick<EndpointRow, ClaimedColumn>> {
  readonly accountId: AccountId;
  /** Changes are stored only while the endpoint has this lease. */
  readonly lease: string;
  readonly leaseEnd: Date;
  /** Whether the application may receive events. */
  readonly isAllowed: boolean;
  /** Whether they include events of reports. */
  readonly readsReports: boolean;
  /** Attributes of employees that the application may read. */
  readonly access: AttributeAccess;
}

/** Claims endpoints that are due, first those of the accounts with the fewest deliveries. They are due again when the lease expires. */
export async function claimEndpoints(
  { runPrepared }: Pick<Database, 'runPrepared'>,
  { now, maximum, maximumOfAccount, running }: ClaimLimits & { readonly now: Date },
): Promise<ClaimedEndpoint[]> {
  const full = [...running].filter(([, count]) => count >= maximumOfAccount).map(([id]) => id);
  const lease = randomId();
  const leaseEnd = new Date(now.getTime() + leaseMilliseconds);
  const rows = await runPrepared<{ endpoint: string }>(
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
  return rows.map(({ endpoint }) => ({ ...toEndpoint(JSON.parse(endpoint)), lease, leaseEnd }));
}

/** Values that JSON does not have are text. */
type JsonRow<Row> = {
  [Name in keyof Row]: Row[Name] extends bigint | Date | null ? Extract<Row[Name], null> | string : Row[Name];
};

function toEndpoint({
  readableAttributes,
  ...row
}: JsonRow<Omit<ClaimedEndpoint, 'lease' | 'leaseEnd' | 'access'>> & {
  readonly readableAttributes: readonly string[];
}): Omit<ClaimedEndpoint, 'lease' | 'leaseEnd'> {
  const toDate = (text: string | null) => (text === null ? null : new Date(text));
  return {
    ...row,
    accountId: toAccountId(row.accountId),
    access: accessTo(readableAttributes.join(' ')),
    previousSecretExpiresAt: toDate(row.previousSecretExpiresAt),
    position: BigInt(row.position),
    deliveryEnd: row.deliveryEnd === null ? null : BigInt(row.deliveryEnd),
    failingSince: toDate(row.failingSince),
  };
}
