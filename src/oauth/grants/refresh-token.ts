import { accountScope, withScope } from '../../database/scope.js';
import { Problem } from '../../problems/problem.js';
import { mayGrant } from '../../services/grantable-scopes.js';
import { revokeGrant } from '../../services/grants.js';
import type { Role } from '../../services/users.js';
import { hashOpaqueToken, newOpaqueToken } from '../opaque-token.js';
import { requireParameter } from '../parameters.js';
import { parseScope } from '../scopes.js';
import type { Grant, GrantContext, GrantRequest } from './grant.js';
import { issueUserTokens } from './user-tokens.js';

/**
 * A client renews its tokens. Every use replaces the refresh token.
 *
 * @throws {Problem} 400 `invalid_request`, 400 `invalid_scope` when more is asked for than was granted, 401
 *   `invalid_grant`
 * @see RFC 6749 section 6 and RFC 9700 section 4.14.2
 */
export const refreshToken: Grant = {
  type: 'refresh_token',
  requires: ['refresh_token'],

  async handle(request, context) {
    const { form, application } = request;
    const tokenHash = hashOpaqueToken(requireParameter('refresh_token', form.refresh_token));
    const requested = form.scope === undefined ? undefined : parseScope(form.scope);
    if (requested?.length === 0) throw new Problem('invalid_scope', 'scope has no scope name.');
    const successor = newOpaqueToken();
    const rotated = await context.rotation.rotate({
      tokenHash,
      successorHash: successor.hash,
      requested,
      application,
      origin: request.origin,
    });
    if (rotated === undefined) {
      throw await withScope(accountScope(application.accountId), () =>
        rejection(tokenHash, requested, request, context),
      );
    }

    const { grantId, userId, scopes } = rotated;
    return issueUserTokens({ application, userId, grantId, scopes, refreshToken: successor }, context);
  },
};

/** A refresh token with its grant and user. */
interface StoredToken {
  readonly grantId: string;
  readonly userId: string;
  readonly scopes: readonly string[];
  readonly usedAt: Date | null;
  /** Whether the token that replaced this one was used as well. */
  readonly successorUsed: boolean;
  /** Whether time, a revocation or the user's status keep it from being used. */
  readonly usable: boolean;
  readonly role: Role;
}

/** Reads a token of this application; `undefined` when there is none. */
async function findToken(
  tokenHash: Buffer<ArrayBuffer>,
  applicationId: string,
  { database, clock }: GrantContext,
): Promise<StoredToken | undefined> {
  const [token] = await database.prisma.$queryRaw<StoredToken[]>`
    SELECT grants.id AS "grantId", grants.user_id AS "userId", token.scopes, token.used_at AS "usedAt", users.role,
           token.expires_at > ${clock()} AND grants.revoked_at IS NULL AND users.disabled_at IS NULL AS usable,
           successor.used_at IS NOT NULL AS "successorUsed"
    FROM refresh_tokens token
      JOIN grants ON grants.id = token.grant_id
      JOIN users ON users.id = grants.user_id
      LEFT JOIN refresh_tokens successor ON successor.token_hash = token.successor_hash
    WHERE token.token_hash = ${tokenHash} AND grants.application_id = ${applicationId}`;
  return token;
}

/** Finds out why a token was rejected, and revokes the grant when the token looks stolen. */
async function rejection(
  tokenHash: Buffer<ArrayBuffer>,
  requested: string[] | undefined,
  { application, origin }: GrantRequest,
  context: GrantContext,
): Promise<Problem> {
  const { database, clock, replayLeewaySeconds } = context;
  const token = await findToken(tokenHash, application.id, context);
  const invalid = new Problem(
    'invalid_grant',
    'The refresh token is unknown, expired, revoked or already used.',
  );
  if (token === undefined) return invalid;

  const { grantId, userId, usedAt } = token;
  const now = clock();
  if (usedAt !== null) {
    // A client that lost the response has not used the successor, and repeats its request at once.
    const retried = now.getTime() - usedAt.getTime() <= replayLeewaySeconds * 1000 && !token.successorUsed;
    if (!retried) {
      await revokeGrant(database, {
        grantId,
        at: now,
        event: {
          type: 'refresh_token.replayed',
          accountId: application.accountId,
          applicationId: application.id,
          userId,
          origin,
        },
      });
    }
    return invalid;
  }
  if (!token.usable) return invalid;
  const available = token.scopes.filter(
    (scope) => application.scopes.includes(scope) && mayGrant(token.role, scope),
  );
  return new Problem(
    'invalid_scope',
    `${requested?.join(', ') ?? 'What was granted'} is not available any more or was not granted; available: ${available.join(', ') || 'nothing'}.`,
  );
}
