import { hash } from 'node:crypto';
import { randomId } from '../database/ids.js';

/** A code or refresh token as the client gets it, and as the database keeps it. */
export interface OpaqueToken {
  readonly value: string;
  readonly hash: Buffer<ArrayBuffer>;
}

/** Length of `[a-z0-9]` text that carries 256 bits. */
const length = 50;

export function newOpaqueToken(): OpaqueToken {
  const value = randomId(length);
  return { value, hash: hashOpaqueToken(value) };
}

/** SHA-256: a random token of 256 bits needs no slow hash. */
export function hashOpaqueToken(value: string): Buffer<ArrayBuffer> {
  return hash('sha256', value, 'buffer');
}
