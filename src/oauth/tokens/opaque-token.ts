import { hash } from 'node:crypto';
import { randomId } from '../../platform/database/ids.js';

/** A code or refresh token: the value for the client, and the hash for the database. */
export interface OpaqueToken {
  readonly value: string;
  readonly hash: Buffer<ArrayBuffer>;
}

/** Characters of `[a-z0-9]` that have 256 random bits. */
const length = 50;

export function newOpaqueToken(): OpaqueToken {
  const value = randomId(length);
  return { value, hash: hashOpaqueToken(value) };
}

/** SHA-256: a random token with 256 bits needs no slow hash. */
export function hashOpaqueToken(value: string): Buffer<ArrayBuffer> {
  return hash('sha256', value, 'buffer');
}
