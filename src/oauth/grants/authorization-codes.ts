import type { AccountId } from '../../platform/accounts/account-id.js';
import { type Authentication, findLockedSession } from '../../platform/accounts/sessions.js';
import type { Role } from '../../platform/accounts/user.js';
import { type AuditOrigin, auditedIn } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { accountScope, withScope } from '../../platform/database/scope.js';
import type { Application } from '../clients/client-registry.js';
import { type Resource, resourcesOf } from '../resources.js';
import { mayGrant } from '../scopes.js';
import { boundKeyOf, isUsableWith } from '../tokens/bound-key.js';
import type { Grants, UsedGrant } from './grants.js';
import { isVerifierOf, matchesVerifier } from './pkce.js';
import { consumeIn, type PushedRequest } from './pushed-requests.js';

/** An authorization code to store after the user's consent. */
interface NewAuthorizationCode {
  readonly codeHash: Buffer<ArrayBuffer>;
  readonly accountId: AccountId;
  readonly userId: string;
  /** Id of the session in which the user consented. */
  readonly sessionId: string;
  readonly applicationId: string;
  readonly redirectUri: string;
  readonly scopes: readonly string[];
  readonly codeChallenge: string;
  /** Thumbprint of the key with which the code must be exchanged; `null` for any, or none. RFC 9449 section 10 */
  readonly dpopJkt: string | null;
  readonly resource: Resource;
  /** For the ID token; `null`: none. */
  readonly nonce: string | null;
  /** The pushed request that the code consumes; `null`: none. */
  readonly pushed: PushedRequest | null;
  readonly at: Date;
  readonly expiresAt: Date;
  readonly origin: AuditOrigin;
}

/** The parameters of a token request with an authorization code. RFC 6749 section 4.1.3, RFC 7636 section 4.5. */
interface CodeExchange {
  readonly codeHash: Buffer<ArrayBuffer>;
  readonly application: Application;
  readonly redirectUri: string;
  readonly codeVerifier: string;
  /** The resource of the access token, which must be that of the code; absent: that of the code. */
  readonly resource: Resource | undefined;
  /** Thumbprint of the key of the DPoP proof; `null` without a proof. */
  readonly jkt: string | null;
  readonly at: Date;
  readonly origin: AuditOrigin;
}

/** What a code has for the ID token. */
interface CodeAuthentication extends Authentication {
  readonly nonce: string | null;
}

/** Authorization codes, from the consent of the user to the exchange for tokens. */
export class AuthorizationCodes {
  readonly #prisma: Database['prisma'];
  readonly #grants: Grants;

  constructor({ prisma }: Database, grants: Grants) {
    this.#prisma = prisma;
    this.#grants = grants;
  }

  /**
   * Stores a code and its audit events, and consumes the pushed request, in one transaction.
   *
   * @returns `application_deleted` or `not_grantable` (the user is disabled, the session was revoked, or the role may not
   *   grant the scopes) or `request_consumed` (the pushed request was consumed or has expired) when nothing was stored
   */
  store({
    at,
    origin,
    pushed,
    ...code
  }: NewAuthorizationCode): Promise<'stored' | 'application_deleted' | 'not_grantable' | 'request_consumed'> {
    const { accountId, applicationId, userId, sessionId, scopes, ...stored } = code;
    const context = { accountId, applicationId, userId, origin, at };
    // The pushed request of an installation belongs to the account of the publisher.
    const scope = pushed === null ? accountScope(accountId) : accountScope(accountId, pushed.accountId);
    const store = async (unit: Unit<typeof context>, role: Role | null) => {
      const { tx } = unit;
      if (!(await lock.existingApplication(tx, context))) return 'application_deleted';
      const session = await findLockedSession(unit, sessionId);
      if (session === null) return 'not_grantable';
      if (role === null || !scopes.every((scope) => mayGrant(role, scope))) return 'not_grantable';
      if (pushed !== null && !(await consumeIn(tx, pushed, at))) return 'request_consumed';
      await tx.authorizationCode.create({
        data: {
          ...stored,
          accountId,
          applicationId,
          userId,
          scopes: [...scopes],
          authenticatedAt: session.authenticatedAt,
          methods: [...session.methods],
          sid: session.sid,
          createdAt: at,
        },
      });
      await unit.record('consent.allowed', { scopes });
      await unit.record('authorization_code.issued', { scopes });
      return 'stored';
    };
    return change(this.#prisma, context, lock.role, store, { scope });
  }

  /**
   * Consumes a code, and stores the grant and its first refresh token. It is one statement: of concurrent exchanges
   * exactly one succeeds, and a failed exchange changes nothing. It locks all rows before it changes them, in the lock order
   * of `src/platform/database/README.md`. IS NOT DISTINCT FROM cannot use an index, so the code is looked up by its hash. With =, the
   * planner may read all codes of the application.
   *
   * @returns `undefined` when the code is unknown, expired or used, or does not match
   */
  async use(
    { codeHash, application, redirectUri, codeVerifier, resource, jkt, at, origin }: CodeExchange,
    refreshToken: { readonly hash: Buffer<ArrayBuffer>; readonly expiresAt: Date },
  ): Promise<(UsedGrant & CodeAuthentication) | undefined> {
    const { id: applicationId, accountId } = application;
    const boundTo = boundKeyOf(application, jkt);
    const use = () => this.#prisma.$queryRaw<(UsedGrant & CodeAuthentication)[]>`
      WITH held AS (
        SELECT code.code_hash, code.account_id, code.user_id, code.scopes, code.resource, code.authenticated_at, code.methods,
          code.sid
        FROM authorization_codes code
          JOIN applications ON applications.account_id = code.account_id AND applications.id = code.application_id
          JOIN accounts ON accounts.id = code.account_id
          JOIN users ON users.account_id = code.account_id AND users.id = code.user_id
        WHERE code.code_hash = ${codeHash} AND code.used_at IS NULL AND code.expires_at > ${at}
          AND code.account_id = ${accountId} AND code.application_id IS NOT DISTINCT FROM ${applicationId}
          AND code.redirect_uri = ${redirectUri} AND ${matchesVerifier(codeVerifier)}
          AND (${resource ?? null}::text IS NULL OR code.resource IS NULL OR code.resource = ${resource ?? null})
          AND (code.dpop_jkt IS NULL OR code.dpop_jkt = ${jkt})
          AND users.disabled_at IS NULL
        FOR KEY SHARE OF accounts, applications, users
        FOR NO KEY UPDATE OF code
      ), granted AS (
        INSERT INTO grants
          (id, account_id, application_id, user_id, scopes, resource, authenticated_at, methods, sid, created_at)
        SELECT ${randomId()}, account_id, ${applicationId}, user_id, scopes, resource, authenticated_at, methods, sid, ${at}
        FROM held
        RETURNING id
      ), used AS (
        UPDATE authorization_codes code SET used_at = ${at}, grant_id = granted.id
        FROM held, granted WHERE code.code_hash = held.code_hash
        RETURNING code.grant_id, code.user_id, code.account_id, code.scopes, code.resource, code.nonce,
          code.authenticated_at, code.methods, code.sid
      ), refreshable AS (
        INSERT INTO refresh_tokens (token_hash, account_id, grant_id, scopes, dpop_jkt, created_at, expires_at)
        SELECT ${refreshToken.hash}, account_id, grant_id, scopes, ${boundTo}, ${at}, ${refreshToken.expiresAt} FROM used
      ), audited AS (
        ${auditedIn(Prisma.sql`used`, { type: 'token.issued', accountId, applicationId, origin, at })}
      )
      SELECT grant_id AS "grantId", user_id AS "userId", scopes, resource, nonce,
        authenticated_at AS "authenticatedAt", methods, sid
      FROM used`;
    const [row] = await withScope(accountScope(accountId), use);
    return row;
  }

  /**
   * Reads a code that {@link use} rejected. Revokes the grant of a used code that is sent again with the correct verifier: an
   * attacker may have used it. Within the leeway it is a retry while the first refresh token is unused: a client that lost the
   * response does not have it.
   *
   * @returns whether the code can be used, for another resource only
   * @see RFC 6749 section 4.1.2
   */
  readRejected(
    { codeHash, application, redirectUri, codeVerifier, resource, jkt, at, origin }: CodeExchange,
    { replayLeewaySeconds }: { replayLeewaySeconds: number },
  ): Promise<boolean> {
    const { id: applicationId, accountId } = application;
    return withScope(accountScope(accountId), async () => {
      const code = await this.#prisma.authorizationCode.findUnique({ where: { codeHash, accountId } });
      if (code?.applicationId !== applicationId || !isVerifierOf(code, codeVerifier)) return false;
      if (code.usedAt === null || code.grantId === null) {
        const isUsable = code.expiresAt > at && code.redirectUri === redirectUri && isUsableWith(code, jkt);
        return (
          isUsable &&
          resource !== undefined &&
          !resourcesOf(code.resource as Resource | null).includes(resource)
        );
      }
      const inLeeway = at.getTime() - code.usedAt.getTime() <= replayLeewaySeconds * 1000;
      if (inLeeway && !(await this.#hasUsedToken(accountId, code.grantId))) return false;
      const { grantId, userId } = code;
      const type = 'authorization_code.replayed';
      await this.#grants.revoke({ grantId, at, event: { type, accountId, applicationId, userId, origin } });
      return false;
    });
  }

  /** Whether a refresh token of a grant was used. */
  async #hasUsedToken(accountId: AccountId, grantId: string): Promise<boolean> {
    const where = { accountId, grantId, usedAt: { not: null } };
    return (await this.#prisma.refreshToken.findFirst({ where })) !== null;
  }
}
