import type { AppSecrets } from '../../platform/crypto/keyring.js';
import { createSeal, type Seal } from '../../platform/crypto/sealing.js';

/** A signing key was encrypted with a secret that this process does not have. */
export class UnreadableSigningKeyError extends Error {
  override readonly name = 'UnreadableSigningKeyError';
}

/** Encryption of private signing keys. */
export function createKeySeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'signing-keys');
}

/**
 * Decrypts a private signing key, a JWK.
 *
 * @throws {UnreadableSigningKeyError} when it was encrypted with another secret, or was changed
 */
export function openSealedKey(
  { kid, privateKey }: { kid: string; privateKey: string },
  seal: Seal,
): ReturnType<Seal['open']> {
  return seal.open(privateKey).catch((cause) => {
    throw new UnreadableSigningKeyError(
      `Signing key ${kid} was encrypted with another APP_SECRET: set APP_SECRET or APP_SECRET_PREVIOUS to the earlier value`,
      { cause },
    );
  });
}
