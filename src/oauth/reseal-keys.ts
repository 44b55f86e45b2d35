import type { AppSecrets } from '../services/keyring.js';
import type { SigningKeyStore } from '../services/signing-key-store.js';
import { createKeySeal, openSealedKey } from './sealed-keys.js';

/**
 * Encrypts every signing key with the current secret that was encrypted with the previous one: all of them, or none.
 *
 * @returns how many keys were encrypted again; 0 when it was done before
 * @throws {UnreadableSigningKeyError} when a key was sealed with neither secret
 */
export function resealSigningKeys(store: SigningKeyStore, appSecrets: AppSecrets, at: Date): Promise<number> {
  const seal = createKeySeal(appSecrets);
  return store.reseal(async (key) => {
    const { plain, current } = await openSealedKey(key, seal);
    return current ? null : seal.seal(plain);
  }, at);
}
