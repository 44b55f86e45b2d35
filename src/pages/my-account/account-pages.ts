import type { EmailChanges } from '../../services/email-changes.js';
import type { OwnAccount } from '../../services/own-account.js';
import type { Reauthentication } from '../../services/reauthentication.js';
import type { Sessions } from '../../services/sessions.js';
import type { Users } from '../../services/users.js';
import type { ProfilePagesDependencies } from './profile.js';
import type { OwnSecondFactorDependencies } from './second-factor/dependencies.js';

/** Dependencies of the pages of the user's own account. */
export interface AccountPagesDependencies extends ProfilePagesDependencies, OwnSecondFactorDependencies {
  readonly emailChanges: EmailChanges;
  readonly ownAccount: OwnAccount;
  readonly users: Users;
  readonly userSessions: Sessions;
  readonly reauthentication: Reauthentication;
}
