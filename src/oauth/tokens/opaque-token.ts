import { hashSecret } from '../../platform/crypto/keyring.js';
import { randomId } from '../../platform/database/ids.js';

/** A code, refresh token or client secret: the value for the client, and the hash for the database. */
export interface OpaqueToken {
  readonly value: string;
  readonly hash: Buffer<ArrayBuffer>;
}

/** Characters of `[a-z0-9]` that have 256 random bits. */
const length = 50;

export function newOpaqueToken(): OpaqueToken {
  const value = randomId(length);
  return { value, hash: hashSecret(value) };
}

/**
 * Creates a client secret. Its value is shown once and not stored.
 *
 * @returns `stored`: the hash, and the last four characters, by which users recognize the secret; the others still carry 235 bits
 */
export function newClientSecret() {
  const { value, hash } = newOpaqueToken();
  return { value, stored: { secretHash: hash, lastCharacters: value.slice(-4) } };
}
