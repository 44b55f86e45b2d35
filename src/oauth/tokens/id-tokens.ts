import { createHash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, errors } from 'jose';
import type { Authentication } from '../../platform/accounts/sessions.js';
import { epochSeconds, toEpochSeconds } from '../../platform/clock.js';
import { type SigningKeys, signingAlgorithm } from '../keys/signing-keys.js';
import { hasValidSignature, isSupportedHeader, signCompact, type TokenSettings } from './jws.js';

/** Values of `amr` for how a user proved the identity. The server does not know where a passkey is stored. */
const methodReferences: ReadonlyMap<string, string> = new Map([
  ['password', 'pwd'],
  ['passkey', 'pop'],
  ['authenticator app', 'otp'],
  ['recovery code', 'otp'],
  // Not registered. The identity provider decides how the user signs in there.
  ['single sign-on', 'fed'],
]);

/**
 * Authentication Method References: each way in which the user proved the identity, and `mfa` for more than one factor. A passkey is two:
 * the device, and what unlocks it.
 *
 * @see RFC 8176 section 2
 */
function methodReferencesOf(methods: readonly string[]): string[] {
  const references = new Set(methods.flatMap((method) => methodReferences.get(method) ?? []));
  return hasSeveralFactors(methods) ? [...references, 'mfa'] : [...references];
}

function hasSeveralFactors(methods: readonly string[]): boolean {
  const hasCode = methods.includes('authenticator app') || methods.includes('recovery code');
  return methods.includes('passkey') || (hasCode && methods.includes('password'));
}

/** The Authentication Context Class References of the server. `phr`, phishing-resistant, is that of OpenID EAP ACR Values 1.0. */
export function contextClasses(issuer: string) {
  const own = (name: string) => `${issuer}/acr/${name}`;
  return {
    phishingResistant: 'phr',
    multiFactor: own('multi_factor'),
    singleFactor: own('single_factor'),
    singleSignOn: own('single_sign_on'),
  } as const;
}

/** The highest class that the methods of a sign-in reach; `undefined` when they were not stored. */
function contextClassOf(methods: readonly string[], issuer: string): string | undefined {
  const classes = contextClasses(issuer);
  if (methods.includes('passkey')) return classes.phishingResistant;
  if (hasSeveralFactors(methods)) return classes.multiFactor;
  if (methods.includes('single sign-on')) return classes.singleSignOn;
  return methods.includes('password') ? classes.singleFactor : undefined;
}

/** Whom an ID token was issued to. */
interface IdTokenHint {
  readonly subject: string;
  /** The public `client_id`. */
  readonly clientId: string;
}

interface IdTokenRequest extends Authentication {
  readonly subject: string;
  /** The public `client_id`, also of an installation. */
  readonly clientId: string;
  /** Of the authorization request; `null`: none, and in the ID token of a refresh. */
  readonly nonce: string | null;
  readonly accessToken: string;
}

/** Signs and reads ID tokens. Their `typ` is not that of access tokens, so that neither is accepted as the other. */
export class IdTokens {
  readonly #keys: SigningKeys;
  readonly #settings: TokenSettings;

  constructor(keys: SigningKeys, settings: TokenSettings) {
    this.#keys = keys;
    this.#settings = settings;
  }

  /** @see OpenID Connect Core 1.0 sections 2 and 3.1.3.6; `sid`: Back-Channel Logout 1.0 section 2.1 */
  issue({ subject, clientId, nonce, authenticatedAt, methods, sid, accessToken }: IdTokenRequest): string {
    const { issuer, ttlSeconds, clock } = this.#settings;
    const { kid, privateKey } = this.#keys.current;
    const issuedAt = epochSeconds(clock);
    const acr = contextClassOf(methods, issuer);
    const claims = {
      iss: issuer,
      sub: subject,
      aud: clientId,
      azp: clientId,
      exp: issuedAt + ttlSeconds,
      iat: issuedAt,
      ...(authenticatedAt !== null && { auth_time: toEpochSeconds(authenticatedAt) }),
      ...(nonce !== null && { nonce }),
      ...(acr !== undefined && { acr, amr: methodReferencesOf(methods) }),
      ...(sid !== null && { sid }),
      at_hash: hashOf(accessToken),
    };
    return signCompact({ alg: signingAlgorithm, typ: 'JWT', kid }, claims, privateKey);
  }

  /**
   * Reads an ID token that an application sends back. It may have expired. Its key must still be published.
   *
   * @returns `null` when this server has not issued it as an ID token
   * @see OpenID Connect RP-Initiated Logout 1.0 section 2
   */
  async readHint(token: string): Promise<IdTokenHint | null> {
    try {
      const header = decodeProtectedHeader(token);
      if (!isSupportedHeader(header) || header.typ !== 'JWT') return null;
      const key = await this.#keys.find(header.kid);
      if (key === undefined || !hasValidSignature(token, key)) return null;
      const { iss, sub, aud } = decodeJwt(token);
      const isComplete = iss === this.#settings.issuer && typeof sub === 'string' && typeof aud === 'string';
      return isComplete ? { subject: sub, clientId: aud } : null;
    } catch (error) {
      // jose throws a TypeError for a header that it cannot decode.
      if (error instanceof errors.JOSEError || error instanceof TypeError) return null;
      throw error;
    }
  }
}

/** The left half of the SHA-256 hash. */
function hashOf(accessToken: string): string {
  return createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url');
}
