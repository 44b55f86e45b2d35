import { type KeyObject, sign, verify } from 'node:crypto';
import type { ProtectedHeaderParameters } from 'jose';
import type { Clock } from '../../platform/clock.js';
import { signingAlgorithm } from '../keys/signing-keys.js';

/*
 * Signatures are made and verified in the main thread. jose uses the thread pool of Node.js, where they wait for hashes of
 * passwords, at 1.6 times the processor time of a whole token request. jose reads headers and checks claims.
 */

/** Of access tokens and ID tokens. */
export interface TokenSettings {
  /** Base URL. The server that issues the tokens also accepts them. */
  readonly issuer: string;
  /** The same for both: the public key of an ID token is published until it has expired. */
  readonly ttlSeconds: number;
  readonly clock: Clock;
}

/** Two integers of 32 bytes. */
const dsaEncoding = 'ieee-p1363';

interface JwsHeader {
  readonly alg: 'ES256';
  readonly typ: string;
  readonly kid: string;
}

/**
 * Signs claims with a P-256 key.
 *
 * @see RFC 7515 section 3.1 and RFC 7518 section 3.4
 */
export function signCompact(header: JwsHeader, claims: object, key: KeyObject): string {
  const input = `${encode(header)}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(input), { key, dsaEncoding });
  return `${input}.${signature.toString('base64url')}`;
}

/** Whether a header names a key, and nothing that this server does not support. @see RFC 7515 section 4.1.11 for `crit` */
export function isSupportedHeader(
  header: ProtectedHeaderParameters,
): header is ProtectedHeaderParameters & { readonly kid: string } {
  return header.alg === signingAlgorithm && typeof header.kid === 'string' && header.crit === undefined;
}

/**
 * Whether the signature of a token is of this P-256 key. The caller has checked the header with {@link isSupportedHeader}.
 *
 * @see RFC 7515 section 3.3 and RFC 7518 section 3.4
 */
export function hasValidSignature(token: string, key: KeyObject): boolean {
  const end = token.lastIndexOf('.');
  const encoded = token.slice(end + 1);
  const signature = Buffer.from(encoded, 'base64url');
  // Buffer ignores characters that are not Base64url, so that a token would have several spellings.
  if (signature.toString('base64url') !== encoded) return false;
  return verify('sha256', Buffer.from(token.slice(0, end)), { key, dsaEncoding }, signature);
}

function encode(part: object): string {
  return Buffer.from(JSON.stringify(part)).toString('base64url');
}
