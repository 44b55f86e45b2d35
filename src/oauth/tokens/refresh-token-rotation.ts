import { roles } from '../../platform/accounts/user.js';
import type { AuditOrigin } from '../../platform/audit/audit-log.js';
import { secondsAfter } from '../../platform/clock.js';
import type { Core } from '../../platform/core.js';
import type { PreparedStatement } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { accountScope } from '../../platform/database/scope.js';
import type { Application } from '../clients/client-registry.js';
import type { UsedGrant } from '../grants/grants.js';
import type { Resource } from '../resources.js';
import { mayGrant, parseScope } from '../scopes.js';
import { boundKeyOf } from './bound-key.js';

/**
 * Rotation of refresh tokens. Parameters: the requests as a JSON array, the current time, the expiry of the new tokens, and
 * the accounts of the requests, separated by commas.
 *
 * Benchmark `refresh` (1.2 times oidc-provider; a statement for each request reaches 0.6). Compared with requests one at a
 * time in test/oauth/rotation-batches.test.ts.
 *
 * The LIMIT is the number of requests. Without it the planner estimates a hundred requests, and reads all of
 * `refresh_tokens` while the table is small. IS NOT DISTINCT FROM, which cannot use an index, and OFFSET 0 make the planner
 * look up rows by primary key: it assumes that account and application are independent, and would prefer other indexes.
 */
const requests = `
  request AS MATERIALIZED (
    SELECT ordinal, decode(token_hash, 'hex') AS token_hash, decode(successor_hash, 'hex') AS successor_hash,
           requested, resource, dpop_jkt, bound_to, account_id, application_id, available, event_id, address, request_id
    FROM json_to_recordset($1::json) AS request
      (ordinal integer, token_hash text, successor_hash text, requested text[], resource text, dpop_jkt text, bound_to text, account_id text,
       application_id text, available jsonb, event_id text, address text, request_id text)
    LIMIT json_array_length($1::json)
  )`;

/** The token of a request, if it can be used for the requested scopes. */
const usableToken = `
  FROM refresh_tokens token
    JOIN grants ON grants.account_id = token.account_id AND grants.id = token.grant_id
    JOIN accounts ON accounts.id = request.account_id
    CROSS JOIN LATERAL (
      SELECT ARRAY(SELECT jsonb_array_elements_text(request.available -> users.role)) AS scopes
      FROM users
      WHERE users.account_id = grants.account_id AND users.id = grants.user_id AND users.disabled_at IS NULL OFFSET 0
    ) available
  WHERE token.token_hash = request.token_hash AND token.used_at IS NULL AND token.expires_at > $2::timestamptz
    AND (grants.account_id, grants.application_id) IS NOT DISTINCT FROM (request.account_id, request.application_id)
    AND grants.revoked_at IS NULL
    AND grants.scopes && available.scopes
    AND request.requested <@ grants.scopes AND request.requested <@ available.scopes
    AND (request.resource IS NULL OR grants.resource IS NULL OR request.resource = grants.resource)
    AND (token.dpop_jkt IS NULL OR token.dpop_jkt = request.dpop_jkt)`;

/**
 * Locks all rows before it changes them, in the lock order of `src/platform/database/README.md`. The scopes are those of the
 * grant, from which the user may have removed some; requested scopes apply to one access token. The column of the token is for
 * processes of earlier versions.
 *
 * @param whenLocked locking clause for rows that another transaction has locked; empty: wait
 */
const rotation = (whenLocked: '' | 'SKIP LOCKED') => `
  WITH ${requests}, held AS (
    SELECT request.*, found.*
    FROM request CROSS JOIN LATERAL (
      SELECT token.grant_id, grants.user_id, grants.resource AS granted_resource, grants.scopes AS granted,
        CASE WHEN cardinality(request.requested) > 0 THEN request.requested
             ELSE ARRAY(SELECT scope FROM unnest(grants.scopes) AS scope WHERE scope = ANY (available.scopes))
        END AS issued
      ${usableToken} OFFSET 0
      FOR KEY SHARE OF accounts, grants ${whenLocked}
      FOR NO KEY UPDATE OF token ${whenLocked}
    ) AS found
  ), used AS (
    UPDATE refresh_tokens token SET used_at = $2::timestamptz, successor_hash = held.successor_hash
    FROM held WHERE token.token_hash = held.token_hash
    RETURNING held.*
  ), successor AS (
    INSERT INTO refresh_tokens (token_hash, account_id, grant_id, scopes, dpop_jkt, created_at, expires_at)
    SELECT successor_hash, account_id, grant_id, granted, bound_to, $2::timestamptz, $3::timestamptz FROM used
  ), audited AS (
    INSERT INTO audit_events
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT event_id, 'token.refreshed', account_totals.account_id, user_id, application_id, address, request_id,
           jsonb_build_object('grant', grant_id, 'scopes', to_jsonb(issued)), $2::timestamptz
    FROM used JOIN account_totals ON account_totals.account_id = used.account_id
    WHERE account_totals.account_id = ANY (string_to_array($4, ','))
  )
  SELECT ordinal::text AS ordinal, grant_id AS "grantId", user_id AS "userId", array_to_string(issued, ' ') AS scopes,
         granted_resource AS resource
  FROM used`;

/** Rotates the tokens that no other transaction has locked, in one transaction. */
const rotateUnlockedTokens: PreparedStatement = {
  name: 'rotate_unlocked_refresh_tokens',
  text: rotation('SKIP LOCKED'),
};

/** Rotates one token and waits for locks. With several requests, two statements could deadlock. */
const rotateLockedToken: PreparedStatement = { name: 'rotate_locked_refresh_token', text: rotation('') };

/** Returns the ordinals of the requests whose tokens can be used. It has the first two parameters. */
const findUsableTokens: PreparedStatement = {
  name: 'find_usable_refresh_tokens',
  text: `
    WITH ${requests}
    SELECT request.ordinal::text AS ordinal FROM request CROSS JOIN LATERAL (SELECT ${usableToken} OFFSET 0) AS found`,
};

export interface RotationRequest {
  readonly tokenHash: Buffer<ArrayBuffer>;
  readonly successorHash: Buffer<ArrayBuffer>;
  /** Requested scopes of the access token; absent: the granted ones. */
  readonly requested: readonly string[] | undefined;
  /** Requested resource of the access token; absent: that of the grant. */
  readonly resource: Resource | undefined;
  /** Thumbprint of the key of the DPoP proof; `null` without a proof. */
  readonly jkt: string | null;
  readonly application: Application;
  readonly origin: AuditOrigin;
}

type RotatedRow = Readonly<Record<'ordinal' | 'grantId' | 'userId' | 'scopes', string>> &
  Pick<UsedGrant, 'resource'>;

/** Result of one request of a shared statement. `locked`: another transaction has locked the token. */
export type RotationOutcome = UsedGrant | 'locked' | undefined;

/**
 * Rotates tokens in one statement, without waiting for another transaction.
 *
 * @returns the outcome of each request, in their order; `undefined` when the token cannot be used and was not changed
 */
export async function rotateTogether(
  core: Core,
  requests: readonly RotationRequest[],
): Promise<(RotationOutcome | Error)[]> {
  const rotated = await rotate(rotateUnlockedTokens, core, requests);
  const others = requests.filter((_, index) => rotated[index] === undefined);
  if (others.length === 0) return rotated;
  try {
    const usable = await findUsable(core, others);
    return requests.map((request, index) => rotated[index] ?? (usable.has(request) ? 'locked' : undefined));
  } catch (error) {
    // The first statement is committed, so its rotations are returned.
    return rotated.map((outcome) => outcome ?? (error as Error));
  }
}

/** Rotates one token, and waits for a transaction that has locked it. */
export async function rotateLocked(core: Core, request: RotationRequest): Promise<UsedGrant | undefined> {
  return (await rotate(rotateLockedToken, core, [request]))[0];
}

async function findUsable(
  { database, clock }: Core,
  requests: readonly RotationRequest[],
): Promise<ReadonlySet<RotationRequest>> {
  const values = [JSON.stringify(requests.map(toRow)), clock().toISOString()];
  const rows = await database.runPrepared<{ ordinal: string }>(findUsableTokens, values, scopeOf(requests));
  return new Set(rows.flatMap(({ ordinal }) => requests[Number(ordinal)] ?? []));
}

async function rotate(
  statement: PreparedStatement,
  { database, clock, config }: Core,
  requests: readonly RotationRequest[],
): Promise<(UsedGrant | undefined)[]> {
  const now = clock();
  const expiresAt = secondsAfter(now, config.refreshTokenTtlSeconds);
  const scope = scopeOf(requests);
  const values = [JSON.stringify(requests.map(toRow)), now.toISOString(), expiresAt.toISOString(), scope];
  const rows = await database.runPrepared<RotatedRow>(statement, values, scope);
  const rotated: (UsedGrant | undefined)[] = requests.map(() => undefined);
  for (const { ordinal, grantId, userId, scopes, resource } of rows)
    rotated[Number(ordinal)] = { grantId, userId, scopes: parseScope(scopes), resource };
  return rotated;
}

function scopeOf(requests: readonly RotationRequest[]) {
  return accountScope(...requests.map(({ application }) => application.accountId));
}

function toRow(
  { tokenHash, successorHash, requested = [], resource, jkt, application, origin }: RotationRequest,
  ordinal: number,
) {
  return {
    ordinal,
    token_hash: tokenHash.toString('hex'),
    successor_hash: successorHash.toString('hex'),
    requested,
    resource,
    ...(jkt !== null && { dpop_jkt: jkt, bound_to: boundKeyOf(application, jkt) }),
    account_id: application.accountId,
    application_id: application.id,
    available: availableByRole(application),
    event_id: randomId(),
    address: origin.address,
    request_id: origin.requestId,
  };
}

/** Scopes of the application that a user of each role may grant. */
function availableByRole({ scopes }: Application): Record<string, string[]> {
  return Object.fromEntries(roles.map((role) => [role, scopes.filter((scope) => mayGrant(role, scope))]));
}
