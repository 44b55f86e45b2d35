import type { AuthenticatorApps } from '../authenticator-apps.js';
import type { Passkeys } from '../passkeys.js';
import type { SecondFactors } from '../second-factors.js';

export interface OwnSecondFactorDependencies {
  readonly secondFactors: SecondFactors;
  readonly apps: AuthenticatorApps;
  readonly passkeys: Passkeys;
  readonly baseUrl: string;
}
