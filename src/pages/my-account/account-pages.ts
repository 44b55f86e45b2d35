import type { EmailChanges } from '../../services/email-changes.js';
import type { OwnAccount } from '../../services/own-account.js';
import type { Profiles } from '../../services/profiles.js';
import type { Reauthentication } from '../../services/reauthentication.js';
import type { AuthenticatorApps } from '../../services/second-factors/authenticator-apps.js';
import type { Passkeys } from '../../services/second-factors/passkeys.js';
import type { SecondFactors } from '../../services/second-factors/second-factors.js';
import type { Sessions } from '../../services/sessions.js';
import type { Users } from '../../services/users.js';
import { settings } from '../paths.js';
import type { ProfileValidator } from './profile-form.js';

/** Dependencies of the pages of the user's own account. */
export interface AccountPagesDependencies {
  readonly profiles: Profiles;
  readonly validateProfile: ProfileValidator;
  readonly emailChanges: EmailChanges;
  readonly ownAccount: OwnAccount;
  readonly users: Users;
  readonly userSessions: Sessions;
  readonly reauthentication: Reauthentication;
  readonly secondFactors: SecondFactors;
  readonly apps: AuthenticatorApps;
  readonly passkeys: Passkeys;
  readonly baseUrl: string;
}

/** Path of a page below My account. */
export function accountAddress(page: 'profile' | 'email' | 'password' | 'sessions'): string {
  return `${settings.account}/${page}`;
}
