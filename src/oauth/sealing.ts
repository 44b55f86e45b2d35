import { hkdfSync } from 'node:crypto';
import { CompactEncrypt, compactDecrypt } from 'jose';

/** Encrypts what the database holds but must not reveal, with a key that only the processes know. */
export interface Seal {
  seal(plain: string): Promise<string>;
  /** @throws when the text was sealed with another secret, or was changed. */
  open(sealed: string): Promise<string>;
}

/** Derives a key for one purpose from the application secret. */
export function deriveKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

/** @see RFC 7516 (compact JWE, `dir` with A256GCM) */
export function createSeal(secret: string, purpose: string): Seal {
  const key = deriveKey(secret, purpose);
  const options = { keyManagementAlgorithms: ['dir'], contentEncryptionAlgorithms: ['A256GCM'] };
  return {
    seal: (plain) =>
      new CompactEncrypt(new TextEncoder().encode(plain))
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .encrypt(key),
    async open(sealed) {
      const { plaintext } = await compactDecrypt(sealed, key, options);
      return new TextDecoder().decode(plaintext);
    },
  };
}
