import { CompactEncrypt, compactDecrypt } from 'jose';
import { type AppSecrets, deriveKeyring } from './keyring.js';

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
