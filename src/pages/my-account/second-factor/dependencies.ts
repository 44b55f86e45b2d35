import type { AuthenticatorApps } from '../../../services/second-factors/authenticator-apps.js';
import type { Passkeys } from '../../../services/second-factors/passkeys.js';
import type { SecondFactors } from '../../../services/second-factors/second-factors.js';

/** Dependencies of the pages of the user's own second factors. */
export interface OwnSecondFactorDependencies {
  readonly secondFactors: SecondFactors;
  readonly apps: AuthenticatorApps;
  readonly passkeys: Passkeys;
  readonly baseUrl: string;
}
