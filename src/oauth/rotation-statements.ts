import type { Clock } from '../clock.js';
import type { Database } from '../database/client.js';
import { randomId } from '../database/ids.js';
import { accountScope, type Scope } from '../database/scope.js';
import type { Application } from '../services/applications/client-registry.js';
import type { AuditOrigin } from '../services/audit-log.js';
import { mayGrant } from '../services/grantable-scopes.js';
import { roles } from '../services/users.js';
import { parseScope } from './scopes.js';

export interface RotationSettings {
  readonly clock: Clock;
  readonly refreshTokenTtlSeconds: number;
}

export interface RotationRequest {
  readonly tokenHash: Buffer;
  readonly successorHash: Buffer;
  /** Scopes that the next access token is to have; absent: what was granted. */
  readonly requested: readonly string[] | undefined;
  readonly application: Application;
  readonly origin: AuditOrigin;
}

export interface Rotated {
  readonly grantId: string;
  readonly userId: string;
  /**
   * Scopes of the access token: those requested, or else what the user granted, less what the application has lost or
   * the user could no longer grant.
   */
  readonly scopes: readonly string[];
}

type RotatedRow = [ordinal: string, grantId: string, userId: string, issued: string];

type UsableRow = [ordinal: string];

/**
 * The limit takes nothing away. It tells the planner how few they are: for the hundred that it would expect it reads
 * the whole of `refresh_tokens`, as long as that is not very large. The hashes are decoded here because row-level
 * security keeps functions out of comparisons that an index is searched by.
 */
const requests = `
  request AS (
    SELECT ordinal, decode(token_hash, 'hex') AS token_hash, decode(successor_hash, 'hex') AS successor_hash,
           requested, application_id, available, event_id, address, request_id
    FROM jsonb_to_recordset($1::jsonb) AS request
      (ordinal int, token_hash text, successor_hash text, requested text[], application_id text, available jsonb,
       event_id text, address text, request_id text)
    LIMIT jsonb_array_length($1::jsonb)
  )`;

/** The tokens that may be used up at the moment `$2`, each with whatever asks for it. */
const usable = `
  FROM request
    JOIN refresh_tokens token ON token.token_hash = request.token_hash
    JOIN grants ON grants.id = token.grant_id
    JOIN accounts ON accounts.id = grants.account_id
    JOIN users ON users.id = grants.user_id
    CROSS JOIN LATERAL (
      SELECT ARRAY(SELECT jsonb_array_elements_text(request.available -> users.role)) AS scopes
    ) available
  WHERE token.used_at IS NULL AND token.expires_at > $2::timestamptz
    AND grants.revoked_at IS NULL
    AND grants.application_id = request.application_id AND users.disabled_at IS NULL
    AND token.scopes && available.scopes
    AND request.requested <@ token.scopes AND request.requested <@ available.scopes`;

/** Scopes of the access token: those asked for, or what the grant still allows. The audit event names the same. */
const issued = `
  CASE WHEN cardinality(request.requested) > 0 THEN request.requested
       ELSE ARRAY(SELECT scope FROM unnest(token.scopes) AS scope WHERE scope = ANY (available.scopes)) END`;

/**
 * Everything is locked before anything is changed, and in the order in which a deletion goes on from the account to
 * the grant and the token.
 *
 * @param whenLocked what to do about rows that another transaction has locked; empty: to wait for it
 */
const rotation = (whenLocked: '' | 'SKIP LOCKED') => `
  WITH ${requests}, held AS (
    SELECT request.*, token.grant_id, grants.account_id, grants.user_id, token.scopes, ${issued} AS issued
    ${usable}
    FOR KEY SHARE OF accounts, grants ${whenLocked}
    FOR NO KEY UPDATE OF token ${whenLocked}
  ), used AS (
    UPDATE refresh_tokens token SET used_at = $2::timestamptz, successor_hash = held.successor_hash
    FROM held WHERE token.token_hash = held.token_hash
    RETURNING held.*
  ), refreshable AS (
    INSERT INTO refresh_tokens (token_hash, grant_id, scopes, created_at, expires_at)
    SELECT successor_hash, grant_id, scopes, $2::timestamptz, $3::timestamptz FROM used
  ), audited AS (
    INSERT INTO audit_events
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT event_id, 'token.refreshed', account_id, user_id, application_id, address, request_id,
           jsonb_build_object('grant', grant_id, 'scopes', to_jsonb(issued)), $2::timestamptz
    FROM used
  )
  SELECT ordinal::text, grant_id, user_id, array_to_string(issued, ' ') FROM used`;

const rotationAtOnce = rotation('SKIP LOCKED');
const rotationInTime = rotation('');
const stillUsable = `WITH ${requests} SELECT request.ordinal::text ${usable}`;

/**
 * Rotates in one statement, all or nothing, without ever waiting for another transaction: what one has locked is
 * left as it is.
 *
 * @returns what came of each request, in their order; `undefined` where nothing was changed
 */
export function rotateFree(
  database: Database,
  settings: RotationSettings,
  requests: readonly RotationRequest[],
) {
  return rotate(rotationAtOnce, database, settings, requests);
}

/** Rotates one token, and waits for a transaction that has locked it. */
export async function rotateWaiting(
  database: Database,
  settings: RotationSettings,
  request: RotationRequest,
): Promise<Rotated | undefined> {
  return (await rotate(rotationInTime, database, settings, [request]))[0];
}

/** Which of the requests could succeed by what is committed now. */
export async function findUsable(
  database: Database,
  { clock }: RotationSettings,
  requests: readonly RotationRequest[],
): Promise<ReadonlySet<RotationRequest>> {
  const values = [JSON.stringify(requests.map(toAsked)), clock().toISOString()];
  const rows = await database.queryText<UsableRow>(stillUsable, values, scopeOf(requests));
  return new Set(rows.flatMap(([ordinal]) => requests[Number(ordinal)] ?? []));
}

/** The successor keeps the scopes of the grant: narrowing is for one access token. */
async function rotate(
  statement: string,
  database: Database,
  { clock, refreshTokenTtlSeconds }: RotationSettings,
  requests: readonly RotationRequest[],
): Promise<(Rotated | undefined)[]> {
  const now = clock();
  const expiresAt = new Date(now.getTime() + refreshTokenTtlSeconds * 1000);
  const values = [JSON.stringify(requests.map(toAsked)), now.toISOString(), expiresAt.toISOString()];
  const rows = await database.queryText<RotatedRow>(statement, values, scopeOf(requests));
  const rotated: (Rotated | undefined)[] = requests.map(() => undefined);
  for (const [ordinal, grantId, userId, issued] of rows) {
    rotated[Number(ordinal)] = { grantId, userId, scopes: parseScope(issued) };
  }
  return rotated;
}

function scopeOf(requests: readonly RotationRequest[]): Scope {
  return accountScope(...requests.map(({ application }) => application.accountId));
}

function toAsked(
  { tokenHash, successorHash, requested = [], application, origin }: RotationRequest,
  ordinal: number,
) {
  return {
    ordinal,
    token_hash: tokenHash.toString('hex'),
    successor_hash: successorHash.toString('hex'),
    requested,
    application_id: application.id,
    available: Object.fromEntries(
      roles.map((role) => [role, application.scopes.filter((scope) => mayGrant(role, scope))]),
    ),
    event_id: randomId(),
    address: origin.address,
    request_id: origin.requestId,
  };
}
