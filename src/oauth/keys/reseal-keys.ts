import type { AppSecrets } from '../../platform/crypto/keyring.js';
import { createKeySeal, openSealedKey } from './sealed-keys.js';
import type { SigningKeyStore } from './signing-key-store.js';

/**
 * Re-encrypts with the current secret, in one transaction, all signing keys that were encrypted with the previous one.
 *
 * @returns number of re-encrypted keys
 * @throws {UnreadableSigningKeyError} when a key was encrypted with another secret
 */
export function resealSigningKeys(store: SigningKeyStore, appSecrets: AppSecrets, at: Date): Promise<number> {
  const seal = createKeySeal(appSecrets);
  return store.reseal(async (key) => {
    const { plain, current } = await openSealedKey(key, seal);
    return current ? null : seal.seal(plain);
  }, at);
}
