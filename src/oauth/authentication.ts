import type { Authenticate } from '../platform/http/binding/bind.js';
import { admit, isPartOfRequest } from '../platform/http/rate-limit.js';
import type { RequestLimit } from '../platform/limits/request-limit.js';
import type { CallerIds } from '../platform/observability/request-context.js';
import { Problem } from '../platform/problems/problem.js';
import type { Resource } from './resources.js';
import { isAboutUser, mayGrant } from './scopes.js';
import {
  type AccessTokenClaims,
  type AccessTokens,
  ExpiredToken,
  invalidToken,
} from './tokens/access-tokens.js';
import type { FindLiveToken, LiveToken } from './tokens/token-status.js';

const realm = 'Bearer realm="People API"';

/** 401 `unauthorized`, without an error code because the request has no token. @see RFC 6750 section 3.1 */
function unauthorized(): Problem {
  return new Problem(
    'unauthorized',
    'Send an access token in the header Authorization: Bearer <ACCESS_TOKEN>.',
    { headers: { 'www-authenticate': realm } },
  );
}

/** Adds a challenge with `invalid_token` to a 401 problem. @see RFC 6750 section 3.1 */
export function challenge(problem: Problem): Problem {
  return new Problem(problem.code, problem.message, {
    headers: {
      'www-authenticate': `${realm}, error="invalid_token", error_description="${problem.message}"`,
    },
    cause: problem.cause,
  });
}

/**
 * 403 `insufficient_scope` with the missing scopes.
 *
 * @param requested the scopes of the challenge, which the client should request; default: those that are missing
 * @see RFC 6750 section 3.1
 */
export function insufficientScope(missing: readonly string[], requested = missing): Problem {
  const scope = requested.join(' ');
  return new Problem('insufficient_scope', `The access token lacks the scope ${missing.join(' ')}.`, {
    headers: { 'www-authenticate': `${realm}, error="insufficient_scope", scope="${scope}"` },
  });
}

/** 403 `user_context_required`, for which RFC 6750 has no error code. */
export function userContextRequired(): Problem {
  return new Problem(
    'user_context_required',
    'The access token was issued to an application and has no user.',
    { headers: { 'www-authenticate': realm } },
  );
}

/**
 * Authenticates a request by its bearer token, which must be valid, not revoked, and have the required scopes.
 * Scopes that were removed from the application or from the grant, or that the user may no longer grant, do not count. A token
 * without a user has no user scopes.
 *
 * Requests with a validly signed token are counted for its application, so that no one without a token can consume its
 * limit. The rate limit is checked before the result of the database query.
 *
 * A rejected request with a validly signed token, expired or revoked, is attributed to its application.
 *
 * @param limit requests of one application per minute; `null` for no limit
 * @param resource the resource that must be in `aud`. A tool call is a request to the API with the token of the endpoint of the
 *   Model Context Protocol, which has accepted it
 * @see RFC 6750 sections 2.1 and 3, and RFC 9068 section 4
 */
export function createAuthenticate(
  accessTokens: AccessTokens,
  findLiveToken: FindLiveToken,
  limit: RequestLimit | null,
  resource: Resource,
): Authenticate {
  return async (request, reply, required) => {
    const token = readBearerToken(request.headers.authorization);
    let claims: AccessTokenClaims;
    try {
      claims = accessTokens.verified(token) ?? (await accessTokens.verify(token));
    } catch (error) {
      if (error instanceof ExpiredToken) request.callerIds = namedBy(error.claims);
      return addChallenge(error);
    }
    if (!claims.resources.includes(resource) && !isPartOfRequest()) throw challenge(invalidToken());
    request.callerIds = namedBy(claims);
    const admitted =
      limit === null
        ? undefined
        : admit(limit, `api client ${claims.installation ?? claims.clientId}`, reply);
    const status = findLiveToken(claims);
    if (admitted !== undefined) {
      // Both run concurrently; the error of the rate limit has precedence.
      status.catch(() => undefined);
      await admitted;
    }
    const live = await status;
    if (live === null) throw challenge(invalidToken());
    const { accountId, applicationId } = live;
    const userId = live.user?.id ?? null;
    request.callerIds = { accountId, applicationId, userId };

    const scopes = new Set(claims.scopes.filter((scope) => isStillGranted(scope, live)));
    const missing = required.filter((scope) => !scopes.has(scope));
    if (missing.length > 0) throw insufficientScope(missing);
    if (live.user === null && required.some(isAboutUser)) throw userContextRequired();
    return { accountId, applicationId, userId, scopes, generation: live.generation };
  };
}

/** Claims of a validly signed token, without a query. */
function namedBy({ clientId, installation, grantId, subject }: AccessTokenClaims): CallerIds {
  return { clientId: installation ?? clientId, userId: grantId === null ? null : subject };
}

/** Whether a scope of a token is still one of the application and of the grant, and one that the user may grant. */
export function isStillGranted(scope: string, { availableScopes, user }: LiveToken): boolean {
  return availableScopes.includes(scope) && (user === null || mayGrant(user.role, scope));
}

function readBearerToken(authorization: string | undefined): string {
  const token = /^bearer +([^ ].*)$/i.exec(authorization ?? '')?.[1]?.trim();
  if (token === undefined) throw unauthorized();
  return token;
}

function addChallenge(error: unknown): never {
  throw error instanceof Problem ? challenge(error) : error;
}
