import type { AppSecrets } from '../keyring.js';
import { createSeal, type Seal } from '../sealing.js';

/** Encryption of the secrets of identity providers. */
export function createProviderSeal(appSecrets: AppSecrets): Seal {
  return createSeal(appSecrets, 'single-sign-on');
}
