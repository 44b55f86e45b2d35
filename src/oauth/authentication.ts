import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Authenticate } from '../platform/http/binding/bind.js';
import { pathOf } from '../platform/http/error-handler.js';
import { admit, isPartOfRequest } from '../platform/http/rate-limit.js';
import type { RequestLimit } from '../platform/limits/request-limit.js';
import type { CallerIds } from '../platform/observability/request-watch.js';
import { Problem } from '../platform/problems/problem.js';
import { proofAlgorithms } from './dpop/proof-key.js';
import { invalidProof, type ProofVerifier } from './dpop/proof-verifier.js';
import { usedProof } from './dpop/use-proof.js';
import type { UsedProofs } from './dpop/used-proofs.js';
import type { Resource } from './resources.js';
import { isAboutUser, isPermitted, mayGrant } from './scopes.js';
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

/**
 * Adds a challenge to a 401 problem.
 *
 * @param error its error code. Default: `invalid_token`
 * @see RFC 6750 section 3.1
 */
export function challenge(problem: Problem, error = 'invalid_token'): Problem {
  return new Problem(problem.code, problem.message, {
    headers: {
      ...problem.headers,
      'www-authenticate': `${realm}, error="${error}", error_description="${problem.message}"`,
    },
    cause: problem.cause,
  });
}

/** A problem with the scheme `DPoP` in its challenge, and the accepted algorithms. @see RFC 9449 section 7.1 */
function withDpopScheme(problem: Problem): Problem {
  const { 'www-authenticate': bearer, ...headers } = problem.headers;
  if (bearer === undefined) return problem;
  const parameters = bearer.replace(/^Bearer /, '');
  return new Problem(problem.code, problem.message, {
    headers: { ...headers, 'www-authenticate': `DPoP ${parameters}, algs="${proofAlgorithms.join(' ')}"` },
    cause: problem.cause,
  });
}

/** A problem with the scheme of the request in its challenge. */
export function inSchemeOf(request: FastifyRequest, problem: Problem): Problem {
  return isDpopRequest(request) ? withDpopScheme(problem) : problem;
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
 * Authenticates a request by its bearer token, which must be valid, not revoked, and have the required scopes, or all of one of
 * the other sets. The error names the required scopes that are missing.
 * Scopes that were removed from the application or from the grant, or that the user may no longer grant, do not count. A token
 * without a user has no user scopes.
 *
 * Requests with a validly signed token are counted for its application, so that no one without a token can consume its
 * limit. The rate limit is checked before the result of the database query.
 *
 * A rejected request with a validly signed token, expired or revoked, is attributed to its application.
 *
 * A token that is bound to a key needs the scheme `DPoP` and a proof; another token needs the scheme `Bearer`. A tool call is
 * part of a request whose proof was verified.
 *
 * @param limit requests of one application per minute; `null` for no limit
 * @param resource the resource that must be in `aud`. A tool call is a request to the API with the token of the endpoint of the
 *   Model Context Protocol, which has accepted it
 * @see RFC 6750 sections 2.1 and 3, RFC 9068 section 4, and RFC 9449 section 7
 */
export function createAuthenticate(
  {
    accessTokens,
    findLiveToken,
    proofs,
    limit,
  }: {
    readonly accessTokens: AccessTokens;
    readonly findLiveToken: FindLiveToken;
    readonly proofs: { readonly verifier: ProofVerifier; readonly used: UsedProofs };
    readonly limit: RequestLimit | null;
  },
  resource: Resource,
): Authenticate {
  /** Looks up a bound token with its proof. */
  const findBoundToken = async (
    { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
    claims: AccessTokenClaims,
    token: string,
  ): Promise<LiveToken | null> => {
    const proof = await proofs.verifier.verify(proofRequest(request), token).catch(addProofChallenge);
    if (proof.nextNonce !== undefined) reply.header('dpop-nonce', proof.nextNonce);
    if (proof.jkt !== claims.jkt)
      throw challenge(
        invalidProof('The access token is bound to another key than that of the DPoP proof.'),
        invalidProofCode,
      );
    const live = await proofs.used.useWithToken(proof, claims);
    if (live === 'replayed') throw challenge(usedProof(), invalidProofCode);
    return live;
  };

  const authenticate: Authenticate = async (request, reply, required, otherSets) => {
    const { token, isDpop } = readAccessToken(request.headers.authorization);
    let claims: AccessTokenClaims;
    try {
      claims = accessTokens.verified(token) ?? (await accessTokens.verify(token));
    } catch (error) {
      if (error instanceof ExpiredToken) request.callerIds = namedBy(error.claims);
      return addChallenge(error);
    }
    if (!claims.resources.includes(resource) && !isPartOfRequest()) throw challenge(invalidToken());
    request.callerIds = namedBy(claims);
    if ((claims.jkt !== null) !== isDpop) throw otherScheme(isDpop);
    const admitted =
      limit === null
        ? undefined
        : admit(limit, `api client ${claims.installation ?? claims.clientId}`, reply);
    const status =
      isDpop && !isPartOfRequest()
        ? findBoundToken({ request, reply }, claims, token)
        : findLiveToken(claims);
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
    if (!isPermitted(scopes, required, otherSets))
      throw insufficientScope(required.filter((scope) => !scopes.has(scope)));
    if (live.user === null && required.some(isAboutUser)) throw userContextRequired();
    const { access, generation } = live;
    return { accountId, applicationId, userId, scopes, access, generation };
  };

  return (request, reply, required, otherSets) => {
    const authenticated = authenticate(request, reply, required, otherSets);
    // A bearer token gets no further promise.
    return isDpopRequest(request) ? authenticated.catch((error) => addDpopScheme(error)) : authenticated;
  };
}

const invalidProofCode = 'invalid_dpop_proof';

/** What a request must prove. */
export function proofRequest(request: Pick<FastifyRequest, 'headers' | 'method' | 'raw'>) {
  return { proof: request.headers.dpop, method: request.method, path: pathOf(request) };
}

/**
 * 401 `invalid_token` for a token that is sent with the scheme of the other kind. Otherwise a stolen bound token could be used
 * without its key.
 *
 * @see RFC 9449 section 7.2
 */
function otherScheme(isDpop: boolean): Problem {
  if (isDpop)
    return challenge(
      new Problem('invalid_token', 'The access token is not bound to a key: send it as Bearer.'),
    );
  const detail = 'The access token is bound to a key: send it with the scheme DPoP and a proof.';
  return withDpopScheme(challenge(new Problem('invalid_token', detail)));
}

function isDpopRequest({ headers: { authorization } }: FastifyRequest): boolean {
  return authorization !== undefined && /^dpop /i.test(authorization);
}

function addDpopScheme(error: unknown): never {
  throw error instanceof Problem ? withDpopScheme(error) : error;
}

function addProofChallenge(error: unknown): never {
  throw error instanceof Problem ? challenge(error, error.code) : error;
}

/** Claims of a validly signed token, without a query. */
function namedBy({ clientId, installation, grantId, subject }: AccessTokenClaims): CallerIds {
  return { clientId: installation ?? clientId, userId: grantId === null ? null : subject };
}

/** Whether a scope of a token is still one of the application and of the grant, and one that the user may grant. */
export function isStillGranted(scope: string, { availableScopes, user }: LiveToken): boolean {
  return availableScopes.includes(scope) && (user === null || mayGrant(user.role, scope));
}

function readAccessToken(authorization: string | undefined): { token: string; isDpop: boolean } {
  const [, scheme = '', token] = /^(bearer|dpop) +([^ ].*)$/i.exec(authorization ?? '') ?? [];
  if (token === undefined) throw unauthorized();
  return { token: token.trim(), isDpop: scheme.toLowerCase() === 'dpop' };
}

function addChallenge(error: unknown): never {
  throw error instanceof Problem ? challenge(error) : error;
}
