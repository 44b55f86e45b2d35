import { Prisma } from '../../database/client.js';
import { Problem } from '../../problems/problem.js';
import type { Application } from '../../services/applications/applications.js';
import { auditedIn } from '../../services/audit-log.js';
import { revokeGrant } from '../../services/grants.js';
import { type Role, roles } from '../../services/users.js';
import { hashOpaqueToken, newOpaqueToken, type OpaqueToken } from '../opaque-token.js';
import { requireParameter } from '../parameters.js';
import { mayGrant } from '../roles.js';
import { parseScope } from '../scopes.js';
import type { Grant, GrantContext, GrantRequest } from './grant.js';
import { issueUserTokens } from './user-tokens.js';

/**
 * A client renews its tokens. One statement uses up the old refresh token and stores the new one, so that of
 * many uses at once exactly one succeeds, and a process that dies leaves the old token or the new one, never
 * neither.
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
    const rotated = await rotate({ tokenHash, requested }, successor, request, context);
    if (rotated === undefined) throw await refusal(tokenHash, requested, request, context);

    const { grantId, userId } = rotated;
    const scopes = requested ?? rotated.scopes;
    return issueUserTokens({ application, userId, grantId, scopes, refreshToken: successor }, context);
  },
};

interface Rotated {
  readonly grantId: string;
  readonly userId: string;
  /** What the user granted, less what the application has lost or the user could no longer grant. */
  readonly scopes: string[];
}

/** The successor keeps the scopes of the grant: narrowing is for one access token. */
async function rotate(
  { tokenHash, requested }: { tokenHash: Buffer; requested: string[] | undefined },
  successor: OpaqueToken,
  { application, origin }: GrantRequest,
  { database, clock, refreshTokenTtlSeconds }: GrantContext,
): Promise<Rotated | undefined> {
  const now = clock();
  const expiresAt = new Date(now.getTime() + refreshTokenTtlSeconds * 1000);
  const [row] = await database.prisma.$queryRaw<Rotated[]>`
    WITH used AS (
      UPDATE refresh_tokens token SET used_at = ${now}
      FROM grants JOIN users ON users.id = grants.user_id
        CROSS JOIN LATERAL (SELECT ${availableScopes(application)} AS scopes) available
      WHERE token.token_hash = ${tokenHash} AND token.used_at IS NULL AND token.expires_at > ${now}
        AND grants.id = token.grant_id AND grants.revoked_at IS NULL
        AND grants.application_id = ${application.id} AND users.disabled_at IS NULL
        AND token.scopes && available.scopes
        AND ${requested ?? []}::text[] <@ token.scopes AND ${requested ?? []}::text[] <@ available.scopes
      RETURNING token.grant_id, grants.account_id, grants.user_id, token.scopes, available.scopes AS available
    ), refreshable AS (
      INSERT INTO refresh_tokens (token_hash, grant_id, scopes, created_at, expires_at)
      SELECT ${successor.hash}, grant_id, scopes, ${now}, ${expiresAt} FROM used
    ), audited AS (
      ${auditedIn(Prisma.sql`used`, { type: 'token.refreshed', applicationId: application.id, origin, at: now })}
    )
    SELECT grant_id AS "grantId", user_id AS "userId",
           ARRAY(SELECT scope FROM unnest(scopes) AS scope WHERE scope = ANY (available)) AS scopes
    FROM used`;
  return row;
}

/** Array of the scopes that the application is configured with and the row's user may grant. */
function availableScopes({ scopes }: Application): Prisma.Sql {
  const byRole = roles.map((role) => {
    const grantable = scopes.filter((scope) => mayGrant(role, scope));
    return Prisma.sql`WHEN ${role} THEN ${grantable}::text[]`;
  });
  return Prisma.sql`CASE users.role ${Prisma.join(byRole, ' ')} END`;
}

/** Finds out why a token was not taken, and revokes the grant when it looks stolen. */
async function refusal(
  tokenHash: Buffer<ArrayBuffer>,
  requested: string[] | undefined,
  { application, origin }: GrantRequest,
  { database, clock, auditLog, replayLeewaySeconds }: GrantContext,
): Promise<Problem> {
  const token = await database.prisma.refreshToken.findUnique({
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
    if (stolen && (await revokeGrant(database, { grantId: grant.id, at: now }))) {
      await auditLog.record({
        type: 'refresh_token.replayed',
        accountId: application.accountId,
        applicationId: application.id,
        userId: grant.userId,
        origin,
        details: { grant: grant.id },
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
