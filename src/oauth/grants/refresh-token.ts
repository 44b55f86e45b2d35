import { accountScope, withScope } from '../../database/scope.js';
import { Problem } from '../../problems/problem.js';
import { revokeGrant } from '../../services/grants.js';
import type { Role } from '../../services/users.js';
import { hashOpaqueToken, newOpaqueToken } from '../opaque-token.js';
import { requireParameter } from '../parameters.js';
import { mayGrant } from '../roles.js';
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
    if (requested?.length === 0) throw new Problem('invalid_scope', 'No scope was asked for.');
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
        refusal(tokenHash, requested, request, context),
      );
    }

    const { grantId, userId } = rotated;
    const scopes = requested ?? rotated.scopes;
    return issueUserTokens({ application, userId, grantId, scopes, refreshToken: successor }, context);
  },
};

/** Finds out why a token was not taken, and revokes the grant when it looks stolen. */
async function refusal(
  tokenHash: Buffer<ArrayBuffer>,
  requested: string[] | undefined,
  { application, origin }: GrantRequest,
  { database, clock, replayLeewaySeconds }: GrantContext,
): Promise<Problem> {
  const token = await database.prisma.refreshToken.findFirst({
    where: { tokenHash, grant: { applicationId: application.id } },
    include: { grant: { include: { user: true } } },
  });
  const invalid = new Problem(
    'invalid_grant',
    'The refresh token is unknown, expired, revoked or already used.',
  );
  if (token === null) return invalid;

  const { grant, usedAt } = token;
  const now = clock();
  if (usedAt !== null) {
    const stolen = now.getTime() - usedAt.getTime() > replayLeewaySeconds * 1000;
    if (stolen) {
      await revokeGrant(database, {
        grantId: grant.id,
        at: now,
        event: {
          type: 'refresh_token.replayed',
          accountId: application.accountId,
          applicationId: application.id,
          userId: grant.userId,
          origin,
        },
      });
    }
    return invalid;
  }
  const usable = token.expiresAt > now && grant.revokedAt === null && grant.user.disabledAt === null;
  if (!usable) return invalid;
  const available = token.scopes.filter(
    (scope) => application.scopes.includes(scope) && mayGrant(grant.user.role as Role, scope),
  );
  return new Problem(
    'invalid_scope',
    `${requested?.join(', ') ?? 'What was granted'} is not available any more or was not granted; available: ${available.join(', ') || 'nothing'}.`,
  );
}
