import type { Core } from '../../platform/core.js';
import { AuthenticatorApps } from './authenticator-apps.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { Passkeys } from './passkeys.js';
import { SecondFactorPolicies } from './second-factor-policy.js';
import { SecondFactorSignIn } from './second-factor-sign-in.js';
import { SecondFactors } from './second-factors.js';

export { credentialField, hiddenFields, PasskeyForm } from './pages/passkey-form.js';
export { ownSecondFactorPages } from './pages/routes.js';
export type { OwnSecondFactorDependencies } from './pages/second-factor-pages.js';
export { type PasskeyResponse, Passkeys } from './passkeys.js';
export { SecondFactorSignIn } from './second-factor-sign-in.js';
export { SecondFactors } from './second-factors.js';

/** Creates the services for second factors, and for signing in with them. */
export function createSecondFactors(core: Core) {
  const { config, database, appSecrets, clock, securityEmails } = core;
  const { baseUrl } = config;
  const apps = new AuthenticatorApps(database, { appSecrets, clock, securityEmails });
  const challenges = new PasskeyChallenges(appSecrets, clock);
  const passkeys = new Passkeys({ database, challenges, securityEmails, baseUrl });
  return {
    secondFactors: new SecondFactors(database, securityEmails),
    apps,
    passkeys,
    secondFactorSignIn: new SecondFactorSignIn({ ...core, apps, passkeys }),
    policies: new SecondFactorPolicies(database),
  };
}
