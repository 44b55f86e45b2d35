import { CompactEncrypt, compactDecrypt } from 'jose';
import { type AppSecrets, deriveKeyring } from '../services/keyring.js';

/** Encrypts what the database holds but must not reveal, with a key that only the processes know. */
export interface Seal {
  /** Encrypts with the current key. */
  seal(plain: string): Promise<string>;
  /**
   * Decrypts with any accepted key.
   *
   * @returns `current`: whether it was sealed with the current key
   * @throws when the text was sealed with another secret, or was changed.
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
      // The encryption is authenticated: decrypting with another key fails.
      const { plaintext, key } = await Promise.any(
        keyring.accepted.map(async (key) => ({ ...(await compactDecrypt(sealed, key, options)), key })),
      );
      return { plain: new TextDecoder().decode(plaintext), current: key === keyring.current };
    },
  };
}
