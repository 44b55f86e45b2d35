import { hash } from 'node:crypto';
import { randomId } from '../../platform/database/ids.js';

/** Length of `[a-z0-9]` text that carries 256 bits. */
const secretCharacters = 50;

/** A new client secret. Its value is shown once and not stored. */
interface NewClientSecret {
  readonly value: string;
  /** The stored parts: the hash, and the last characters, by which users recognize the secret. */
  readonly stored: { readonly secretHash: Buffer<ArrayBuffer>; readonly lastCharacters: string };
}

/** Creates a client secret. The last four characters are public: the others still carry 235 bits. */
export function newClientSecret(): NewClientSecret {
  const value = randomId(secretCharacters);
  return { value, stored: { secretHash: hashSecret(value), lastCharacters: value.slice(-4) } };
}

/** SHA-256 of a secret. A random secret of 256 bits needs no slow hash. */
export function hashSecret(secret: string): Buffer<ArrayBuffer> {
  return hash('sha256', secret, 'buffer');
}
