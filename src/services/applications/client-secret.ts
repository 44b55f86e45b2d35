import { hash } from 'node:crypto';
import { randomId } from '../../database/ids.js';

/** Length of `[a-z0-9]` text that carries 256 bits. */
const length = 50;

/** Creates a client secret. Its value is shown once and not stored. */
export function newClientSecret(): { value: string; hash: Buffer<ArrayBuffer> } {
  const value = randomId(length);
  return { value, hash: hashSecret(value) };
}

/** SHA-256 of a secret. A random secret of 256 bits needs no slow hash. */
export function hashSecret(secret: string): Buffer<ArrayBuffer> {
  return hash('sha256', secret, 'buffer');
}
