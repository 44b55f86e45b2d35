import type { AppSecrets } from '../../platform/crypto/keyring.js';
import { createSeal, type Seal } from '../../platform/crypto/sealing.js';

/** Encryption of the secrets of identity providers. */
export function createProviderSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'single-sign-on');
}
