import {
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type ProtectedHeaderParameters,
  UnsecuredJWT,
} from 'jose';
import { LRUCache } from 'lru-cache';
import { epochSeconds } from '../../platform/clock.js';
import { randomId } from '../../platform/database/ids.js';
import { Problem } from '../../platform/problems/problem.js';
import { type SigningKeys, signingAlgorithm } from '../keys/signing-keys.js';
import { type Resource, resources, resourceUrls } from '../resources.js';
import { parseScope } from '../scopes.js';
import { hasValidSignature, isSupportedHeader, signCompact, type TokenSettings } from './jws.js';

/** Claims of an access token. @see RFC 9068 section 2.2 */
export interface AccessTokenClaims {
  readonly subject: string;
  readonly clientId: string;
  /** Internal id of the installation; `null` for a token of an application in its own account. */
  readonly installation: string | null;
  readonly scopes: readonly string[];
  /** The resources that accept the token. */
  readonly resources: readonly Resource[];
  readonly tokenId: string;
  /** Absent for client credentials, which have no grant of a user. */
  readonly grantId: string | null;
  /** Generation of the application when the token was issued. Starts at 0; each revocation of all access increments it. */
  readonly generation: number;
  /** Thumbprint of the key that a request with the token must prove to have; `null` for a bearer token. RFC 9449 section 6.1 */
  readonly jkt: string | null;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
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

interface AccessTokenRequest {
  readonly subject: string;
  readonly clientId: string;
  readonly scopes: readonly string[];
  readonly resources: readonly Resource[];
  readonly installation?: string | null;
  readonly grantId?: string;
  /** Generation of the application, for a token without a grant. Default: 0. */
  readonly generation?: number;
  /** Thumbprint of the key that the token is bound to. Default: none. */
  readonly jkt?: string | null;
}

const type = 'at+jwt';

/** Tokens with a verified signature that are cached: verification costs more than the rest of a request. */
const cachedTokens = 10_000;

/** Characters. Longer strings are not tokens of this server. */
const maximumLength = 4096;

/** Issues and verifies access tokens. Revocation is checked elsewhere. */
export class AccessTokens {
  readonly #keys: SigningKeys;
  readonly #settings: TokenSettings;
  readonly #audiences: Readonly<Record<Resource, string>>;
  readonly #verified = new LRUCache<string, AccessTokenClaims & { kid: string }>({ max: cachedTokens });

  constructor(keys: SigningKeys, settings: TokenSettings) {
    this.#keys = keys;
    this.#settings = settings;
    this.#audiences = resourceUrls(settings.issuer);
  }

  get ttlSeconds(): number {
    return this.#settings.ttlSeconds;
  }

  issue(token: AccessTokenRequest): string {
    const { subject, clientId, scopes, installation = null, grantId, generation = 0, jkt = null } = token;
    const { kid, privateKey } = this.#keys.current;
    const { issuer, ttlSeconds, clock } = this.#settings;
    const issuedAt = epochSeconds(clock);
    const claims = {
      iss: issuer,
      aud: this.#audienceOf(token.resources),
      sub: subject,
      client_id: clientId,
      scope: scopes.join(' '),
      iat: issuedAt,
      exp: issuedAt + ttlSeconds,
      jti: randomId(),
      ...(installation !== null && { installation }),
      ...(grantId !== undefined && { grant_id: grantId }),
      ...(generation > 0 && { generation }),
      ...(jkt !== null && { cnf: { jkt } }),
    };
    return signCompact({ alg: signingAlgorithm, typ: type, kid }, claims, privateKey);
  }

  /** One audience is a string: that of every token is, unless its grant is of a version that did not store a resource. */
  #audienceOf(accepting: readonly Resource[]): string | string[] {
    const [audience = '', ...others] = accepting.map((resource) => this.#audiences[resource]);
    return others.length === 0 ? audience : [audience, ...others];
  }

  /**
   * Returns the claims of a token that was verified before, without a promise; `null` for other tokens.
   *
   * @throws {ExpiredToken} from the time `exp`
   */
  verified(token: string): AccessTokenClaims | null {
    const cached = this.#verified.get(token);
    if (cached === undefined || !this.#keys.has(cached.kid)) return null;
    if (cached.expiresAt <= epochSeconds(this.#settings.clock)) throw new ExpiredToken(cached);
    return cached;
  }

  /**
   * Verifies a token and returns its claims.
   *
   * @throws {Problem} 401 `invalid_token`, or an {@link ExpiredToken} from the time `exp`
   */
  async verify(token: string): Promise<AccessTokenClaims> {
    const verified = this.verified(token);
    if (verified !== null) return verified;
    const claims = await this.#check(token);
    this.#verified.set(token, claims);
    return claims;
  }

  /** The claims of a token; `null` when {@link verify} rejects it. */
  async read(token: string): Promise<AccessTokenClaims | null> {
    try {
      return await this.verify(token);
    } catch (error) {
      if (error instanceof Problem) return null;
      throw error;
    }
  }

  async #check(token: string): Promise<AccessTokenClaims & { kid: string }> {
    if (token.length > maximumLength) throw invalidToken();
    const header = readHeader(token);
    if (!isSupportedHeader(header)) throw invalidToken();
    const { kid, typ } = header;
    const key = await this.#keys.find(kid);
    if (key === undefined || !hasValidSignature(token, key)) throw invalidToken();
    return { ...this.#claimsOf(this.#checkClaims(token, typ)), kid };
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
        audience: Object.values(this.#audiences),
        currentDate: clock(),
        requiredClaims: ['sub', 'client_id', 'scope', 'iat', 'exp', 'jti'],
      }).payload;
    } catch (error) {
      // Only a token with a valid signature and valid claims is reported as expired.
      if (error instanceof errors.JWTExpired) throw new ExpiredToken(this.#claimsOf(error.payload));
      if (error instanceof errors.JOSEError) throw invalidToken(error);
      throw error;
    }
  }

  #claimsOf(payload: JWTPayload): AccessTokenClaims {
    const audiences = [payload.aud].flat();
    return {
      subject: String(payload.sub),
      clientId: String(payload.client_id),
      installation: typeof payload.installation === 'string' ? payload.installation : null,
      scopes: parseScope(String(payload.scope)),
      resources: resources.filter((resource) => audiences.includes(this.#audiences[resource])),
      tokenId: String(payload.jti),
      grantId: typeof payload.grant_id === 'string' ? payload.grant_id : null,
      generation: typeof payload.generation === 'number' ? payload.generation : 0,
      jkt: readJkt(payload.cnf),
      issuedAt: Number(payload.iat),
      expiresAt: Number(payload.exp),
    };
  }
}

/** @see RFC 7800 section 3.1 and RFC 9449 section 6.1 */
function readJkt(cnf: unknown): string | null {
  return cnf === undefined ? null : String(Object(cnf).jkt);
}

function readHeader(token: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token);
  } catch (cause) {
    throw invalidToken(cause);
  }
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

/** `token_type` of an access token. @see RFC 9449 section 5 */
export function tokenType(jkt: string | null): 'Bearer' | 'DPoP' {
  return jkt === null ? 'Bearer' : 'DPoP';
}
