import type { Core } from '../../platform/core.js';
import { AuthenticatorApps } from './authenticator-apps.js';
import { Passkeys } from './passkeys.js';
import { RecoveryCodes } from './recovery-codes.js';
import { SecondFactorPolicies } from './second-factor-policy.js';
import { SecondFactorSignIn } from './second-factor-sign-in.js';

export type { OwnSecondFactorDependencies } from './pages/own-second-factor-pages.js';
export { credentialField, hiddenFields, PasskeyForm } from './pages/passkey-form.js';
export { ownSecondFactorPages } from './pages/routes.js';
export { type PasskeyResponse, Passkeys } from './passkeys.js';

export type SecondFactors = ReturnType<typeof createSecondFactors>;

export function createSecondFactors(core: Core) {
  const apps = new AuthenticatorApps(core);
  const passkeys = new Passkeys(core);
  return {
    apps,
    passkeys,
    recoveryCodes: new RecoveryCodes(core),
    secondFactorSignIn: new SecondFactorSignIn(core, { apps, passkeys }),
    policies: new SecondFactorPolicies(core.database),
  };
}
