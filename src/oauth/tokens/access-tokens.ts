import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type ProtectedHeaderParameters,
  UnsecuredJWT,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { type Clock, epochSeconds } from '../../platform/clock.js';
import { randomId } from '../../platform/database/ids.js';
import { Problem } from '../../platform/problems/problem.js';
import { type SigningKeys, signingAlgorithm } from '../keys/signing-keys.js';
import { parseScope } from '../scopes.js';
import { hasValidSignature, signCompact } from './compact-jws.js';

/** Claims of an access token. @see RFC 9068 section 2.2 */
export interface AccessTokenClaims {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly tokenId: string;
  /** Absent for client credentials, which have no grant of a user. */
  readonly grantId: string | null;
  /** Generation of the application when the token was issued. Starts at 0; each revocation of all access increments it. */
  readonly generation: number;
  /** Seconds since the epoch. */
  readonly expiresAt: number;
}

/** 401 `token_expired`. The signature is valid, so the rejected request can be attributed to the application. */
export class ExpiredToken extends Problem {
  readonly claims: AccessTokenClaims;

  constructor(claims: AccessTokenClaims) {
    super('token_expired', 'The access token has expired. Get a new one from the token endpoint.');
    this.claims = claims;
  }
}

export interface AccessTokenRequest {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly grantId?: string;
  /** Generation of the application, for a token without a grant. Default: 0. */
  readonly generation?: number;
}

interface Settings {
  /** Issuer and audience: the server that issues the tokens also accepts them. */
  readonly issuer: string;
  readonly ttlSeconds: number;
  readonly clock: Clock;
}

const type = 'at+jwt';

/** Tokens with a verified signature that are cached: verification costs more than the rest of a request. */
const cachedTokens = 10_000;

/** Characters. Longer strings are not tokens of this server. */
const maximumLength = 4096;

/** Issues and verifies access tokens. Revocation is checked elsewhere. */
export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #settings: Settings;
  readonly #verified = new LRUCache<string, AccessTokenClaims & { kid: string }>({ max: cachedTokens });

  constructor(keys: SigningKeys, settings: Settings) {
    this.#keys = keys;
    this.#settings = settings;
  }

  get ttlSeconds(): number {
    return this.#settings.ttlSeconds;
  }

  issue({ subject, clientId, scopes, grantId, generation = 0 }: AccessTokenRequest): string {
    const { kid, privateKey } = this.#keys.current;
    const { issuer, ttlSeconds, clock } = this.#settings;
    const issuedAt = epochSeconds(clock);
    const claims = {
      iss: issuer,
      aud: issuer,
      sub: subject,
      client_id: clientId,
      scope: scopes.join(' '),
      iat: issuedAt,
      exp: issuedAt + ttlSeconds,
      jti: randomId(),
      ...(grantId !== undefined && { grant_id: grantId }),
      ...(generation > 0 && { generation }),
    };
    return signCompact({ alg: signingAlgorithm, typ: type, kid }, claims, privateKey);
  }

  /**
   * Verifies a token and returns its claims.
   *
   * @throws {Problem} 401 `invalid_token`, or an {@link ExpiredToken} from the time `exp`
   */
  async verify(token: string): Promise<AccessTokenClaims> {
    const cached = this.#verified.get(token);
    if (cached !== undefined && this.#keys.has(cached.kid)) {
      if (cached.expiresAt <= epochSeconds(this.#settings.clock)) throw new ExpiredToken(cached);
      return cached;
    }
    const claims = await this.#check(token);
    this.#verified.set(token, claims);
    return claims;
  }

  async #check(token: string): Promise<AccessTokenClaims & { kid: string }> {
    if (token.length > maximumLength) throw invalidToken();
    const { alg, kid, typ, crit } = readHeader(token);
    // No critical extension is supported (RFC 7515 section 4.1.11).
    if (alg !== signingAlgorithm || typeof kid !== 'string' || crit !== undefined) throw invalidToken();
    const key = await this.#keys.find(kid);
    if (key === undefined || !hasValidSignature(token, key)) throw invalidToken();
    return { ...claimsOf(this.#checkClaims(token, typ)), kid };
  }

  /** Checks the claims of a token whose signature is verified. */
  #checkClaims(token: string, typ: unknown): JWTPayload {
    const { issuer, clock } = this.#settings;
    const header = Buffer.from(JSON.stringify({ alg: 'none', typ })).toString('base64url');
    try {
      // jose checks claims only of whole tokens, and signatures only in the thread pool. This one has no signature any more.
      return UnsecuredJWT.decode(`${header}.${token.split('.')[1]}.`, {
        typ: type,
        issuer,
        audience: issuer,
        currentDate: clock(),
        requiredClaims: ['sub', 'client_id', 'scope', 'iat', 'exp', 'jti'],
      }).payload;
    } catch (error) {
      return rejectToken(error);
    }
  }
}

function readHeader(token: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token);
  } catch (cause) {
    throw invalidToken(cause);
  }
}

function claimsOf(payload: JWTPayload): AccessTokenClaims {
  return {
    subject: String(payload.sub),
    clientId: String(payload.client_id),
    scopes: parseScope(String(payload.scope)),
    tokenId: String(payload.jti),
    grantId: typeof payload.grant_id === 'string' ? payload.grant_id : null,
    generation: typeof payload.generation === 'number' ? payload.generation : 0,
    expiresAt: Number(payload.exp),
  };
}

function rejectToken(error: unknown): never {
  // Only a token with a valid signature and valid claims is reported as expired.
  if (error instanceof errors.JWTExpired) throw new ExpiredToken(claimsOf(error.payload));
  if (error instanceof errors.JOSEError) throw invalidToken(error);
  throw error;
}

/** 401 `invalid_token`: the same text for every reason, so that it does not help to forge tokens. */
export function invalidToken(cause?: unknown): Problem {
  return new Problem(
    'invalid_token',
    'The access token is malformed, was revoked, or was not issued by this server.',
    {
      cause,
    },
  );
}
