import type { Sessions } from '../../platform/accounts/sessions.js';
import type { Users } from '../../platform/accounts/users.js';
import type { AuditLog } from '../../platform/audit/audit-log.js';
import type { Clock } from '../../platform/clock.js';
import type { AppSecrets } from '../../platform/crypto/keyring.js';
import type { Database } from '../../platform/database/client.js';
import type { FailureLimit } from '../../platform/limits/failure-limit.js';
import type { SecurityNotices } from '../../platform/mail/security-notices.js';
import { AuthenticatorApps } from './authenticator-apps.js';
import { PasskeyChallenges } from './passkey-challenges.js';
import { Passkeys } from './passkeys.js';
import { SecondFactorSignIn } from './second-factor-sign-in.js';
import { SecondFactors } from './second-factors.js';

interface Dependencies {
  readonly database: Database;
  readonly appSecrets: AppSecrets;
  readonly clock: Clock;
  readonly baseUrl: string;
  readonly users: Users;
  readonly sessions: Sessions;
  readonly auditLog: AuditLog;
  readonly failureLimit: FailureLimit;
  readonly notices: SecurityNotices;
}

/** Services for second factors, and for signing in with them. */
interface SecondFactorServices {
  readonly secondFactors: SecondFactors;
  readonly apps: AuthenticatorApps;
  readonly passkeys: Passkeys;
  readonly secondFactorSignIn: SecondFactorSignIn;
}

/** Creates the services with their dependencies. */
export function composeSecondFactors(dependencies: Dependencies): SecondFactorServices {
  const { database, appSecrets, clock, baseUrl, notices } = dependencies;
  const apps = new AuthenticatorApps(database, { appSecrets, clock, notices });
  const challenges = new PasskeyChallenges(appSecrets, clock);
  const passkeys = new Passkeys({ database, challenges, notices, baseUrl });
  return {
    secondFactors: new SecondFactors(database, notices),
    apps,
    passkeys,
    secondFactorSignIn: new SecondFactorSignIn({ ...dependencies, apps, passkeys }),
  };
}
