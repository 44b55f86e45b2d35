import type { Reauthentication } from '../../../../platform/accounts/reauthentication.js';
import type { Sessions } from '../../../../platform/accounts/sessions.js';
import type { Users } from '../../../../platform/accounts/users.js';
import type { ProfilePagesDependencies } from '../../../profile/index.js';
import type { OwnSecondFactorDependencies } from '../../../second-factors/index.js';
import type { EmailChanges } from '../../email-changes.js';
import type { OwnAccount } from '../../own-account.js';

export interface AccountPagesDependencies extends ProfilePagesDependencies, OwnSecondFactorDependencies {
  readonly emailChanges: EmailChanges;
  readonly ownAccount: OwnAccount;
  readonly users: Users;
  readonly userSessions: Sessions;
  readonly reauthentication: Reauthentication;
}
