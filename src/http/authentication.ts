import {
  type AccessTokenClaims,
  type AccessTokens,
  ExpiredToken,
  invalidToken,
} from '../oauth/access-tokens.js';
import type { Party } from '../observability/request-context.js';
import { Problem } from '../problems/problem.js';
import { isAboutUser, mayGrant } from '../services/grantable-scopes.js';
import type { RequestLimit } from '../services/request-limit.js';
import type { LiveToken, TokenStatus } from '../services/tokens/token-status.js';
import type { Authenticate } from './binding/bind.js';
import { challenge, insufficientScope, unauthorized, userContextRequired } from './challenges.js';
import { admit } from './rate-limit.js';

/**
 * Accepts a request by its bearer token: genuine, in time, not revoked, and with the scopes asked for.
 * Scopes that the application has lost since the token was issued do not count, nor do those that its user could
 * no longer grant. Scopes about a user are of no use to a token without one.
 *
 * Requests are counted for the application that a genuine token was issued to, so that nobody without such a token
 * can use up its limit. Only then does the answer of the database about the token matter.
 *
 * A request that is rejected still tells whose it is, as far as a genuine token says so: expired and revoked ones do.
 *
 * @param limit requests of one application; `null` for any number
 * @see RFC 6750 sections 2.1 and 3
 */
export function createAuthenticate(
  accessTokens: AccessTokens,
  tokenStatus: TokenStatus,
  limit: RequestLimit | null,
): Authenticate {
  return async (request, reply, required) => {
    const token = readBearerToken(request.headers.authorization);
    const claims = await accessTokens.verify(token).catch((error) => {
      if (error instanceof ExpiredToken) request.party = namedBy(error.claims);
      return addChallenge(error);
    });
    request.party = namedBy(claims);
    const admitted = limit === null ? undefined : admit(limit, `api client ${claims.clientId}`, reply);
    // Both are asked at the same time; a refusal by the limit comes first.
    const status = tokenStatus.find(claims);
    status.catch(() => undefined);
    await admitted;
    const live = await status;
    if (live === null) throw challenge(invalidToken());
    const { accountId, applicationId } = live;
    const userId = live.user?.id ?? null;
    request.party = { accountId, applicationId, userId };

    const scopes = new Set(claims.scopes.filter((scope) => stillHolds(scope, live)));
    const missing = required.filter((scope) => !scopes.has(scope));
    if (missing.length > 0) throw insufficientScope(missing);
    if (live.user === null && required.some(isAboutUser)) throw userContextRequired();
    return {
      accountId,
      applicationId,
      clientId: claims.clientId,
      userId,
      scopes,
      tokenId: claims.tokenId,
    };
  };
}

/** What a genuine token says by itself; the database need not be asked. */
function namedBy({ clientId, grantId, subject }: AccessTokenClaims): Party {
  return { clientId, userId: grantId === null ? null : subject };
}

function stillHolds(scope: string, { applicationScopes, user }: LiveToken): boolean {
  return applicationScopes.includes(scope) && (user === null || mayGrant(user.role, scope));
}

function readBearerToken(authorization: string | undefined): string {
  const token = /^bearer +([^ ].*)$/i.exec(authorization ?? '')?.[1]?.trim();
  if (token === undefined) throw unauthorized();
  return token;
}

function addChallenge(error: unknown): never {
  throw error instanceof Problem ? challenge(error) : error;
}
