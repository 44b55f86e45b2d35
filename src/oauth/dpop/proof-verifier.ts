import { hash } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader, type JWTPayload } from 'jose';
import { LRUCache } from 'lru-cache';
import { parseUrl } from '../../platform/contract/outside-text.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import { Problem } from '../../platform/problems/problem.js';
import { nonceSeconds, type ProofNonces } from './nonces.js';
import { type ProofKey, readProofKey } from './proof-key.js';

/** A request with a DPoP proof. */
export interface ProofRequest {
  /** Value of the header `DPoP`. Node.js joins repeated headers with a comma, so that they are not a JWT. */
  readonly proof: string | readonly string[] | undefined;
  readonly method: string;
  /** Path of the request, without its query. */
  readonly path: string;
}

/** A valid proof. Whether it was used before is not known yet. */
export interface Proof {
  /** Thumbprint of the key. @see RFC 7638 */
  readonly jkt: string;
  /** SHA-256 of what identifies the proof: its key and its `jti`. */
  readonly hash: Buffer<ArrayBuffer>;
  /** Time from which every process rejects the proof, because its nonce has expired. */
  readonly expiresAt: Date;
  /** A nonce for the response, which replaces that of the proof; `undefined` when it need not be replaced. */
  readonly nextNonce: string | undefined;
}

/** Characters. An RSA key of 4096 bits and its signature have 1400. */
const maximumLength = 4096;

/** Characters of `jti`. */
const maximumJtiLength = 255;

/** Keys that are kept. A client sends the same header with each proof. */
const cachedKeys = 1_000;

/** 400 or 401 `invalid_dpop_proof`. */
export function invalidProof(detail: string): Problem {
  return new Problem('invalid_dpop_proof', detail);
}

/**
 * Verifies DPoP proofs. The nonce determines when a proof was created, so that the clock of the client need not be right.
 *
 * @see RFC 9449 section 4.3
 */
export class ProofVerifier {
  readonly #nonces: ProofNonces;
  readonly #baseUrl: string;
  readonly #keys = new LRUCache<string, ProofKey>({ max: cachedKeys });

  constructor(nonces: ProofNonces, baseUrl: string) {
    this.#nonces = nonces;
    this.#baseUrl = baseUrl;
  }

  /**
   * @param accessToken the token that the request is sent with, whose hash the proof must contain
   * @throws {Problem} 400 or 401 `invalid_dpop_proof`; `use_dpop_nonce` with a nonce for the next proof
   */
  async verify({ proof, method, path }: ProofRequest, accessToken?: string): Promise<Proof> {
    const { key, claims } = await this.#readSigned(proof);
    const { jti, htm, htu, iat, ath, nonce } = claims;
    if (typeof jti !== 'string' || jti === '' || jti.length > maximumJtiLength)
      throw invalidProof(`The DPoP proof must have a jti of 1 to ${maximumJtiLength} characters.`);
    if (typeof iat !== 'number') throw invalidProof('The DPoP proof must have the number iat.');
    if (htm !== method) throw invalidProof(`The htm of the DPoP proof must be ${method}.`);
    const url = `${this.#baseUrl}${path}`;
    if (typeof htu !== 'string' || !isSameUrl(htu, url))
      throw invalidProof('The htu of the DPoP proof must be the URL of the request.');
    if (accessToken !== undefined && ath !== hash('sha256', accessToken, 'base64url'))
      throw invalidProof('The ath of the DPoP proof must be the SHA-256 hash of the access token.');
    const checked = typeof nonce === 'string' ? this.#nonces.check(nonce) : undefined;
    if (checked === undefined) {
      throw new Problem('use_dpop_nonce', 'The DPoP proof must have the nonce of the header DPoP-Nonce.', {
        headers: { 'dpop-nonce': this.#nonces.issue() },
      });
    }
    return {
      jkt: key.jkt,
      hash: hashSecret(`${key.jkt} ${jti}`),
      // Twice, for a process whose clock is slow.
      expiresAt: new Date((checked.issuedAt + 2 * nonceSeconds) * 1000),
      nextNonce: checked.isOld ? this.#nonces.issue() : undefined,
    };
  }

  async #readSigned(proof: ProofRequest['proof']): Promise<{ key: ProofKey; claims: JWTPayload }> {
    const text = typeof proof === 'string' && proof.length <= maximumLength ? proof : '';
    const [, header = '', payload = '', signature = ''] = /^([\w-]+)\.([\w-]+)\.([\w-]+)$/.exec(text) ?? [];
    if (header === '')
      throw invalidProof('The request must have one DPoP header with a signed JWT as its DPoP proof.');
    const cached = this.#keys.get(header);
    const key = cached ?? (await readHeader(text));
    if (!key.verifies(Buffer.from(`${header}.${payload}`), Buffer.from(signature, 'base64url')))
      throw invalidProof('The signature of the DPoP proof is wrong.');
    if (cached === undefined) this.#keys.set(header, key);
    return { key, claims: readClaims(text) };
  }
}

/** @throws {Problem} `invalid_dpop_proof` */
async function readHeader(proof: string): Promise<ProofKey> {
  const { typ, alg, jwk, crit } = decoded(() => decodeProtectedHeader(proof));
  if (typ !== 'dpop+jwt') throw invalidProof('The typ of the DPoP proof must be dpop+jwt.');
  // No critical extension is supported (RFC 7515 section 4.1.11).
  if (crit !== undefined) throw invalidProof('The DPoP proof must not have the header crit.');
  const key = await readProofKey(alg, jwk);
  if (key !== undefined) return key;
  throw invalidProof(
    'The DPoP proof must be signed with ES256, PS256, EdDSA or Ed25519 and have the public key as its jwk.',
  );
}

function readClaims(proof: string): JWTPayload {
  return decoded(() => decodeJwt(proof));
}

function decoded<Part>(decode: () => Part): Part {
  try {
    return decode();
  } catch {
    throw invalidProof('The DPoP proof is not a JWT.');
  }
}

/** Whether a URL identifies the same resource, without its query and fragment. @see RFC 3986 sections 6.2.2 and 6.2.3 */
function isSameUrl(given: string, expected: string): boolean {
  if (given === expected) return true;
  const normalized = normalizedUrl(given);
  return normalized !== undefined && normalized === normalizedUrl(expected);
}

function normalizedUrl(text: string): string | undefined {
  const url = parseUrl(text);
  if (url === undefined || url.username !== '' || url.password !== '') return undefined;
  const path = url.pathname.replaceAll(/%[\da-f]{2}/gi, (encoded) => {
    const character = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
    return /[\w.~-]/.test(character) ? character : encoded.toUpperCase();
  });
  return `${url.origin}${path}`;
}
