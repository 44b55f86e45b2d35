import { type Database, Prisma } from '../../database/client.js';
import { randomId } from '../../database/ids.js';
import { accountScope, allAccounts, withScope } from '../../database/scope.js';
import { Problem } from '../../problems/problem.js';
import { auditedIn } from '../../services/audit-log.js';
import { revokeGrant } from '../../services/grants.js';
import { hashOpaqueToken, newOpaqueToken, type OpaqueToken } from '../opaque-token.js';
import { requireParameter } from '../parameters.js';
import { codeChallengeOf } from '../pkce.js';
import type { Grant, GrantContext, GrantRequest } from './grant.js';
import { issueUserTokens } from './user-tokens.js';

/** What the client sent, as the stored code is compared with it. */
interface Exchange {
  readonly codeHash: Buffer<ArrayBuffer>;
  readonly applicationId: string;
  readonly redirectUri: string;
  readonly codeChallenge: string;
}

/**
 * A client exchanges the code that a user's consent gave it. One statement checks and consumes the code, so that of
 * many exchanges at once exactly one succeeds, and one that fails changes nothing.
 *
 * @throws {Problem} 400 `invalid_request`, 401 `invalid_grant`
 * @see RFC 6749 section 4.1.3 and RFC 7636 section 4.6
 */
export const authorizationCode: Grant = {
  type: 'authorization_code',
  requires: ['code', 'redirect_uri', 'code_verifier'],

  async handle(request, context) {
    const { form, application } = request;
    const exchange: Exchange = {
      codeHash: hashOpaqueToken(requireParameter('code', form.code)),
      applicationId: application.id,
      redirectUri: requireParameter('redirect_uri', form.redirect_uri),
      codeChallenge: codeChallengeOf(requireParameter('code_verifier', form.code_verifier)),
    };
    const refreshToken = newOpaqueToken();
    const used = await useCode(exchange, refreshToken, request, context);
    if (used === undefined) {
      await withScope(accountScope(application.accountId), () =>
        revokeAfterReplay(exchange, request, context),
      );
      throw new Problem(
        'invalid_grant',
        'The code is unknown, expired or already used, or redirect_uri or code_verifier does not match.',
      );
    }
    const { grantId, userId, scopes } = used;
    return issueUserTokens({ application, userId, grantId, scopes, refreshToken }, context);
  },
};

interface UsedCode {
  readonly grantId: string;
  readonly userId: string;
  readonly scopes: string[];
}

/** Locks everything before it changes anything, in the order of {@link lockApplication}. */
async function useCode(
  { codeHash, applicationId, redirectUri, codeChallenge }: Exchange,
  refreshToken: OpaqueToken,
  { origin }: GrantRequest,
  { database, clock, refreshTokenTtlSeconds }: GrantContext,
): Promise<UsedCode | undefined> {
  const now = clock();
  const expiresAt = new Date(now.getTime() + refreshTokenTtlSeconds * 1000);
  const use = () => database.prisma.$queryRaw<UsedCode[]>`
    WITH held AS (
      SELECT code.code_hash, applications.account_id
      FROM authorization_codes code
        JOIN applications ON applications.id = code.application_id
        JOIN accounts ON accounts.id = applications.account_id
        JOIN users ON users.id = code.user_id
      WHERE code.code_hash = ${codeHash} AND code.used_at IS NULL AND code.expires_at > ${now}
        AND code.application_id = ${applicationId} AND code.redirect_uri = ${redirectUri}
        AND code.code_challenge = ${codeChallenge}
        AND users.disabled_at IS NULL
      FOR KEY SHARE OF accounts, applications, users
      FOR NO KEY UPDATE OF code
    ), used AS (
      UPDATE authorization_codes code SET used_at = ${now}, grant_id = ${randomId()}
      FROM held WHERE code.code_hash = held.code_hash
      RETURNING code.grant_id, code.user_id, held.account_id, code.scopes
    ), granted AS (
      INSERT INTO grants (id, account_id, application_id, user_id, scopes, created_at)
      SELECT grant_id, account_id, ${applicationId}, user_id, scopes, ${now} FROM used
    ), refreshable AS (
      INSERT INTO refresh_tokens (token_hash, grant_id, scopes, created_at, expires_at)
      SELECT ${refreshToken.hash}, grant_id, scopes, ${now}, ${expiresAt} FROM used
    ), audited AS (
      ${auditedIn(Prisma.sql`used`, { type: 'token.issued', applicationId, origin, at: now })}
    )
    SELECT grant_id AS "grantId", user_id AS "userId", scopes FROM used`;
  // A refresh token is of an account through its grant, which the statement that makes it does not see yet.
  const [row] = await withScope(allAccounts, use);
  return row;
}

/**
 * A used code that comes back with the right verifier was stolen on its way, or the verifier was: the tokens that it
 * gave are revoked. It is no theft within the leeway as long as the refresh token that it gave is unused: a client that
 * lost the response has no such token.
 *
 * @see RFC 6749 section 4.1.2
 */
async function revokeAfterReplay(
  { codeHash, applicationId, codeChallenge }: Exchange,
  { application, origin }: GrantRequest,
  { database, clock, replayLeewaySeconds }: GrantContext,
): Promise<void> {
  const code = await database.prisma.authorizationCode.findFirst({
    where: { codeHash, applicationId, codeChallenge, grantId: { not: null } },
  });
  if (code?.usedAt == null || code.grantId === null) return;
  const now = clock();
  const inLeeway = now.getTime() - code.usedAt.getTime() <= replayLeewaySeconds * 1000;
  if (inLeeway && !(await hasUsedToken(code.grantId, database))) return;
  await revokeGrant(database, {
    grantId: code.grantId,
    at: now,
    event: {
      type: 'authorization_code.replayed',
      accountId: application.accountId,
      applicationId,
      userId: code.userId,
      origin,
    },
  });
}

/** Whether a grant has a used refresh token; its first one, which its code gave, is used before any other. */
async function hasUsedToken(grantId: string, { prisma }: Pick<Database, 'prisma'>): Promise<boolean> {
  return (await prisma.refreshToken.findFirst({ where: { grantId, usedAt: { not: null } } })) !== null;
}
