import type { Authenticate } from '../contract/bind.js';
import { type AccessTokens, invalidToken } from '../oauth/access-tokens.js';
import { mayGrant } from '../oauth/roles.js';
import { parseScope } from '../oauth/scopes.js';
import type { LiveToken, TokenStatus } from '../oauth/token-status.js';
import { Problem, type ProblemOptions } from '../problems/problem.js';

const realm = 'Bearer realm="People API"';

/**
 * Accepts a request by its bearer token: genuine, in time, not revoked, and with the scopes asked for.
 * Scopes that the application has lost since the token was issued do not
 * count, nor do those that its user could no longer grant.
 *
 * @see RFC 6750 sections 2.1 and 3
 */
export function createAuthenticate(accessTokens: AccessTokens, tokenStatus: TokenStatus): Authenticate {
  return async (request, required) => {
    const token = readBearerToken(request.headers.authorization);
    const claims = await accessTokens.verify(token).catch(addChallenge);
    const live = await tokenStatus.find(claims);
    if (live === null) return addChallenge(invalidToken());

    const scopes = new Set(parseScope(claims.scope).filter((scope) => stillHolds(scope, live)));
    const missing = required.filter((scope) => !scopes.has(scope));
    if (missing.length > 0) throw insufficientScope(missing);
    return {
      accountId: live.accountId,
      applicationId: live.applicationId,
      clientId: claims.clientId,
      userId: live.user?.id ?? null,
      scopes,
      tokenId: claims.tokenId,
    };
  };
}

function stillHolds(scope: string, { applicationScopes, user }: LiveToken): boolean {
  return applicationScopes.includes(scope) && (user === null || mayGrant(user.role, scope));
}

function readBearerToken(authorization: string | undefined): string {
  const token = /^bearer +([^ ].*)$/i.exec(authorization ?? '')?.[1]?.trim();
  if (token === undefined) {
    throw new Problem(
      'unauthorized',
      'Send an access token in the header Authorization: Bearer <ACCESS_TOKEN>.',
      {
        headers: { 'www-authenticate': realm },
      },
    );
  }
  return token;
}

/** RFC 6750 knows `invalid_token` alone for a token that does not count, whatever the reason. */
function addChallenge(error: unknown): never {
  if (!(error instanceof Problem)) throw error;
  const options: ProblemOptions = {
    headers: { 'www-authenticate': `${realm}, error="invalid_token", error_description="${error.message}"` },
    cause: error.cause,
  };
  throw new Problem(error.code, error.message, options);
}

function insufficientScope(missing: readonly string[]): Problem {
  const scope = missing.join(' ');
  return new Problem('insufficient_scope', `The access token lacks the scope ${scope}.`, {
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}
