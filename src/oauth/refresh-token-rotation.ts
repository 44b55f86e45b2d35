import type { Clock } from '../clock.js';
import type { Database } from '../database/client.js';
import { isWriteConflict } from '../database/database-errors.js';
import { randomId } from '../database/ids.js';
import type { Application } from '../services/applications/applications.js';
import type { AuditOrigin } from '../services/audit-log.js';
import { createBatcher } from '../services/batcher.js';
import { roles } from '../services/users.js';
import { mayGrant } from './roles.js';

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
  /** What the user granted, less what the application has lost or the user could no longer grant. */
  readonly scopes: readonly string[];
}

interface Row {
  ordinal: number;
  grant_id: string;
  user_id: string;
  scopes: string;
}

/**
 * Replaces refresh tokens. One statement uses up the old ones, stores the new ones and writes down that it did, so
 * that of many uses of a token exactly one succeeds, also when they are in the same statement: a row is changed
 * once. A process that dies leaves the old tokens or the new ones.
 */
export class RefreshTokenRotation {
  readonly #rotate: (request: RotationRequest) => Promise<Rotated | undefined>;

  constructor(database: Database, settings: { clock: Clock; refreshTokenTtlSeconds: number }) {
    const rotate = (requests: readonly RotationRequest[]) => rotateAll(database, settings, requests);
    this.#rotate = createBatcher(
      async (requests) => {
        try {
          return await rotate(requests);
        } catch (error) {
          if (requests.length === 1 || !isWriteConflict(error)) throw error;
          // Nothing was kept. Alone, nobody waits for a row that one of the others holds.
          return Promise.all(requests.map((request) => rotateAlone(rotate, request)));
        }
      },
      { maximum: 50, atOnce: 2 },
    );
  }

  /** `undefined` when the token is not to be had any more, or not for these scopes; nothing was changed then. */
  rotate(request: RotationRequest): Promise<Rotated | undefined> {
    return this.#rotate(request);
  }
}

async function rotateAlone(
  rotate: (requests: readonly RotationRequest[]) => Promise<(Rotated | undefined)[]>,
  request: RotationRequest,
): Promise<Rotated | undefined | Error> {
  try {
    return (await rotate([request]))[0];
  } catch (error) {
    return error as Error;
  }
}

const query = `
  WITH asked AS (
    SELECT * FROM jsonb_to_recordset($1::jsonb) AS asked
      (ordinal int, token_hash text, successor_hash text, requested text[], application_id text, available jsonb,
       event_id text, address text, request_id text)
  ), used AS (
    UPDATE refresh_tokens token SET used_at = $2::timestamptz
    FROM asked CROSS JOIN grants JOIN users ON users.id = grants.user_id
      CROSS JOIN LATERAL (
        SELECT ARRAY(SELECT jsonb_array_elements_text(asked.available -> users.role)) AS scopes
      ) available
    WHERE token.token_hash = decode(asked.token_hash, 'hex')
      AND token.used_at IS NULL AND token.expires_at > $2::timestamptz
      AND grants.id = token.grant_id AND grants.revoked_at IS NULL
      AND grants.application_id = asked.application_id AND users.disabled_at IS NULL
      AND token.scopes && available.scopes
      AND asked.requested <@ token.scopes AND asked.requested <@ available.scopes
    RETURNING asked.*, token.grant_id, grants.account_id, grants.user_id, token.scopes,
              available.scopes AS available_scopes
  ), refreshable AS (
    INSERT INTO refresh_tokens (token_hash, grant_id, scopes, created_at, expires_at)
    SELECT decode(successor_hash, 'hex'), grant_id, scopes, $2::timestamptz, $3::timestamptz FROM used
  ), audited AS (
    INSERT INTO audit_events
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT event_id, 'token.refreshed', account_id, user_id, application_id, address, request_id,
           jsonb_build_object('grant', grant_id, 'scopes', to_jsonb(scopes)), $2::timestamptz
    FROM used
  )
  SELECT ordinal, grant_id, user_id,
         array_to_string(ARRAY(SELECT scope FROM unnest(scopes) AS scope WHERE scope = ANY (available_scopes)), ' ')
           AS scopes
  FROM used`;

/** The successor keeps the scopes of the grant: narrowing is for one access token. */
async function rotateAll(
  database: Database,
  { clock, refreshTokenTtlSeconds }: { clock: Clock; refreshTokenTtlSeconds: number },
  requests: readonly RotationRequest[],
): Promise<(Rotated | undefined)[]> {
  const now = clock();
  const expiresAt = new Date(now.getTime() + refreshTokenTtlSeconds * 1000);
  const rows = await database.query<Row>(query, [
    JSON.stringify(requests.map(toAsked)),
    now.toISOString(),
    expiresAt.toISOString(),
  ]);
  const found = new Map(rows.map((row) => [row.ordinal, row]));
  return requests.map((_, ordinal) => {
    const row = found.get(ordinal);
    return row && { grantId: row.grant_id, userId: row.user_id, scopes: row.scopes.split(' ') };
  });
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
