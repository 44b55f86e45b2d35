import type { Clock } from '../clock.js';
import { type Database, Prisma } from '../database/client.js';
import { RowsLockedError } from '../database/database-errors.js';
import { createDeadlineQueue } from '../database/deadline-queue.js';
import { accountScope, withScope } from '../database/scope.js';
import type { Application } from '../services/applications/client-registry.js';
import { type AuditOrigin, auditedIn } from '../services/audit-log.js';
import { mayGrant } from '../services/grantable-scopes.js';
import { roles } from '../services/users.js';

export interface RotationSettings {
  readonly clock: Clock;
  readonly refreshTokenTtlSeconds: number;
}

export interface RotationRequest {
  readonly tokenHash: Buffer<ArrayBuffer>;
  readonly successorHash: Buffer<ArrayBuffer>;
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

/**
 * Replaces refresh tokens. One statement consumes the old token, stores the new one and its audit event, so that of many
 * uses of a token exactly one succeeds.
 *
 * A statement does not wait for rows that another transaction has locked. It is queued then, with few at a time: otherwise
 * the tokens of an application that is being deleted would take every connection.
 */
export class RefreshTokenRotation {
  readonly #database: Database;
  readonly #settings: RotationSettings;
  readonly #rotateLocked: (request: RotationRequest, timeoutError: Error) => Promise<Rotated | undefined>;

  constructor(database: Database, settings: RotationSettings) {
    this.#database = database;
    this.#settings = settings;
    this.#rotateLocked = createDeadlineQueue((request) => this.#rotate(request, Prisma.empty));
  }

  /** `undefined` when the token cannot be used any more, or not for these scopes; nothing was changed then. */
  async rotate(request: RotationRequest): Promise<Rotated | undefined> {
    const rotated = await this.#rotate(request, Prisma.sql`SKIP LOCKED`);
    if (rotated !== undefined || !(await this.#isUsable(request))) return rotated;
    return this.#rotateLocked(request, new RowsLockedError('The refresh token is locked.'));
  }

  async #rotate(request: RotationRequest, whenLocked: Prisma.Sql): Promise<Rotated | undefined> {
    const [rotated] = await this.#query<Rotated>(request, rotation(request, this.#settings, whenLocked));
    return rotated;
  }

  async #isUsable(request: RotationRequest): Promise<boolean> {
    const now = this.#settings.clock();
    const rows = await this.#query(request, Prisma.sql`SELECT ${usableToken(request, now)}`);
    return rows.length > 0;
  }

  #query<Row>({ application }: RotationRequest, query: Prisma.Sql): Promise<Row[]> {
    return withScope(accountScope(application.accountId), () =>
      this.#database.prisma.$queryRaw<Row[]>(query),
    );
  }
}

/** The token, if it may be used now; what follows SELECT. */
function usableToken({ tokenHash, requested = [], application }: RotationRequest, now: Date): Prisma.Sql {
  return Prisma.sql`
    token.grant_id, grants.account_id, grants.user_id, token.scopes AS granted,
      CASE WHEN cardinality(${requested}::text[]) > 0 THEN ${requested}::text[]
           ELSE ARRAY(SELECT scope FROM unnest(token.scopes) AS scope WHERE scope = ANY (available.scopes))
      END AS scopes
    FROM refresh_tokens token
      JOIN grants ON grants.id = token.grant_id
      JOIN accounts ON accounts.id = grants.account_id
      JOIN users ON users.id = grants.user_id
      CROSS JOIN LATERAL (
        SELECT ARRAY(SELECT jsonb_array_elements_text(${availableByRole(application)}::jsonb -> users.role)) AS scopes
      ) available
    WHERE token.token_hash = ${tokenHash} AND token.used_at IS NULL AND token.expires_at > ${now}
      AND grants.application_id = ${application.id} AND grants.revoked_at IS NULL AND users.disabled_at IS NULL
      AND token.scopes && available.scopes
      AND ${requested}::text[] <@ token.scopes AND ${requested}::text[] <@ available.scopes`;
}

/**
 * Everything is locked before anything is changed, and in the order in which a deletion goes on from the account to
 * the grant and the token. The successor keeps the scopes of the grant: narrowing is for one access token.
 */
function rotation(
  request: RotationRequest,
  { clock, refreshTokenTtlSeconds }: RotationSettings,
  whenLocked: Prisma.Sql,
): Prisma.Sql {
  const { tokenHash, successorHash, application, origin } = request;
  const now = clock();
  const expiresAt = new Date(now.getTime() + refreshTokenTtlSeconds * 1000);
  const event = { type: 'token.refreshed', applicationId: application.id, origin, at: now } as const;
  return Prisma.sql`
    WITH held AS (
      SELECT ${usableToken(request, now)}
      FOR KEY SHARE OF accounts, grants ${whenLocked}
      FOR NO KEY UPDATE OF token ${whenLocked}
    ), used AS (
      UPDATE refresh_tokens token SET used_at = ${now}, successor_hash = ${successorHash}
      FROM held WHERE token.token_hash = ${tokenHash}
      RETURNING held.*
    ), successor AS (
      INSERT INTO refresh_tokens (token_hash, grant_id, scopes, created_at, expires_at)
      SELECT ${successorHash}, grant_id, granted, ${now}, ${expiresAt} FROM used
    ), audited AS (
      ${auditedIn(Prisma.sql`used`, event)}
    )
    SELECT grant_id AS "grantId", user_id AS "userId", scopes FROM used`;
}

/** Scopes of the application that a user of each role may grant, as a JSON object. */
function availableByRole({ scopes }: Application): string {
  return JSON.stringify(
    Object.fromEntries(roles.map((role) => [role, scopes.filter((scope) => mayGrant(role, scope))])),
  );
}
