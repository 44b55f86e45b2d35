import { createHmac, hash, hkdfSync, randomBytes, timingSafeEqual } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';
import { randomId } from '../database/ids.js';

/** The values of `APP_SECRET` and `APP_SECRET_PREVIOUS`. The current one encrypts and signs; both decrypt and verify. */
export interface AppSecrets {
  readonly current: string;
  readonly previous?: string | undefined;
}

/** A secret of 256 random bits in base64url. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** SHA-256 of a random secret, such as a token. With 80 bits or more, it needs no slow hash. */
export function hashSecret(secret: string): Buffer<ArrayBuffer> {
  return hash('sha256', secret, 'buffer');
}

/** A code or a token: the value for the client, and the hash for the database. */
export interface OpaqueToken {
  readonly value: string;
  readonly hash: Buffer<ArrayBuffer>;
}

/** Characters of `[a-z0-9]` that have 256 random bits. */
const tokenLength = 50;

export function newOpaqueToken(): OpaqueToken {
  const value = randomId(tokenLength);
  return { value, hash: hashSecret(value) };
}

/** The keys for one purpose. The current one encrypts and signs; all accepted ones decrypt and verify. */
interface Keyring {
  readonly current: Uint8Array;
  readonly accepted: readonly Uint8Array[];
}

/** Derives the keys for one purpose from the application's secrets. @see RFC 5869 (HKDF) */
function deriveKeyring({ current, previous }: AppSecrets, purpose: string): Keyring {
  const derive = (secret: string) => new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
  const key = derive(current);
  return { current: key, accepted: previous === undefined ? [key] : [key, derive(previous)] };
}

/** Signs strings that a browser stores. */
export class Signer {
  readonly #keys: Keyring;

  constructor(secrets: AppSecrets, purpose: string) {
    this.#keys = deriveKeyring(secrets, purpose);
  }

  /** HMAC-SHA256 with the current key, in base64url. */
  sign(text: string): string {
    return hmac(this.#keys.current, text);
  }

  /** Verifies a signature with the accepted keys, in constant time for each key. */
  verifies(text: string, signature: string): boolean {
    const input = Buffer.from(signature);
    return this.#keys.accepted.some((key) => {
      const expected = Buffer.from(hmac(key, text));
      return input.length === expected.length && timingSafeEqual(input, expected);
    });
  }
}

function hmac(key: Uint8Array, text: string): string {
  return createHmac('sha256', key).update(text).digest('base64url');
}

/** Encrypts secrets for the database with a key that is not in the database. */
export interface Seal {
  /** Encrypts with the current key. */
  seal(plain: string): Promise<string>;
  /**
   * Decrypts with the current or the previous key.
   *
   * @returns `current`: whether the text was encrypted with the current key
   * @throws {Error} when the text was encrypted with another key, or was changed
   */
  open(sealed: string): Promise<{ plain: string; current: boolean }>;
}

/** @see RFC 7516 (compact JWE, `dir` with A256GCM) */
export function createSeal(secrets: AppSecrets, purpose: string): Seal {
  const keyring = deriveKeyring(secrets, purpose);
  const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
  return {
    seal: (plain) =>
      new CompactEncrypt(new TextEncoder().encode(plain))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(keyring.current),
    async open(sealed) {
      // Authenticated encryption: decryption with another key fails.
      const { plaintext, key } = await Promise.any(
        keyring.accepted.map(async (key) => ({ ...(await compactDecrypt(sealed, key, options)), key })),
      );
      return { plain: new TextDecoder().decode(plaintext), current: key === keyring.current };
    },
  };
}

/** A stored secret was encrypted with an `APP_SECRET` that this process does not have. */
export class UnreadableSecretError extends Error {
  override readonly name = 'UnreadableSecretError';
}

/**
 * Decrypts a stored secret.
 *
 * @param name what it is, for the error, such as "The secret of user 42"
 * @throws {UnreadableSecretError}
 */
export function openStored(seal: Seal, sealed: string, name: string): ReturnType<Seal['open']> {
  return seal.open(sealed).catch((cause) => {
    throw new UnreadableSecretError(
      `${name} was encrypted with another APP_SECRET: set APP_SECRET or APP_SECRET_PREVIOUS to the earlier value`,
      { cause },
    );
  });
}
