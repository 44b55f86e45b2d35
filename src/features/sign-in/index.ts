import type { Core } from '../../platform/core.js';
import type { Passkeys } from '../second-factors/index.js';
import { SignIn } from './sign-in.js';
import { TrustedDevices } from './trusted-devices.js';

export { continueSignIn, nextStep } from './pages/after-sign-in.js';
export type { TrustedDevices } from './trusted-devices.js';

/** Creates the services for signing in. */
export function createSignIn(core: Core, { passkeys }: { passkeys: Passkeys }) {
  const { config, appSecrets, clock } = core;
  return {
    signIn: new SignIn(core, passkeys),
    trustedDevices: new TrustedDevices({ appSecrets, baseUrl: config.baseUrl, clock }),
  };
}
