import type { Core } from '../../platform/core.js';
import type { Passkeys } from '../second-factors/index.js';
import { KnownBrowsers } from './known-browsers.js';
import { SignIn } from './sign-in.js';

export type { KnownBrowsers } from './known-browsers.js';
export { continueSignIn, nextStep } from './pages/after-sign-in.js';

export function createSignIn(core: Core, { passkeys }: { passkeys: Passkeys }) {
  const { config, appSecrets, clock } = core;
  return {
    signIn: new SignIn(core, passkeys),
    knownBrowsers: new KnownBrowsers({ appSecrets, baseUrl: config.baseUrl, clock }),
  };
}
