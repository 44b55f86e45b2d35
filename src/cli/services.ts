import type { Clock } from '../clock.js';
import type { Config } from '../config/config.js';
import type { Database, DatabaseLogger } from '../database/client.js';
import { Accounts } from '../services/accounts.js';
import { OAuthApplications } from '../services/applications/oauth-applications.js';
import { EmployeeImports } from '../services/employee-imports/employee-imports.js';
import { MissingEmployees } from '../services/employee-imports/missing-employees.js';
import { EmployeeChanges } from '../services/employees/employee-changes.js';
import { EventFeed } from '../services/events/event-feed.js';
import { Housekeeping } from '../services/housekeeping.js';
import { Issuer } from '../services/recorded-issuer.js';
import { createSecurityNotices, type SecurityNotices } from '../services/security-notices.js';
import { SigningKeyStore } from '../services/signing-key-store.js';
import { AccountDomains } from '../services/single-sign-on/account-domains.js';
import { ProviderSecrets } from '../services/single-sign-on/provider-secrets.js';
import { UsageReader } from '../services/usage/usage-reader.js';
import { UserAdministration } from '../services/user-administration.js';
import { Users } from '../services/users.js';
import { AccountEndpoints } from '../services/webhooks/account-endpoints.js';

/** Services of the commands. */
export interface CommandServices {
  readonly accounts: Accounts;
  readonly users: Users;
  readonly userAdministration: UserAdministration;
  readonly employeeImports: EmployeeImports;
  readonly missingEmployees: MissingEmployees;
  readonly employeeChanges: EmployeeChanges;
  readonly applications: OAuthApplications;
  readonly usage: UsageReader;
  readonly events: EventFeed;
  readonly accountEndpoints: AccountEndpoints;
  readonly issuer: Issuer;
  readonly signingKeys: SigningKeyStore;
  readonly domains: AccountDomains;
  readonly notices: SecurityNotices;
  readonly providerSecrets: ProviderSecrets;
  readonly housekeeping: Housekeeping;
}

/** Creates the services of the commands. */
export function composeCommandServices(
  database: Database,
  clock: Clock,
  { config, logger }: { config: Config; logger: Pick<DatabaseLogger, 'warn'> },
): CommandServices {
  const notices = createSecurityNotices(database, { config, clock, logger });
  return {
    notices,
    accounts: new Accounts(database),
    users: new Users(database),
    userAdministration: new UserAdministration(database, notices),
    employeeImports: new EmployeeImports(database, clock),
    missingEmployees: new MissingEmployees(database, clock),
    employeeChanges: new EmployeeChanges(database),
    applications: new OAuthApplications(database),
    usage: new UsageReader(database),
    events: new EventFeed(database, { clock, retentionDays: config.eventRetentionDays }),
    accountEndpoints: new AccountEndpoints(database),
    signingKeys: new SigningKeyStore(database),
    domains: new AccountDomains(database),
    providerSecrets: new ProviderSecrets(database),
    issuer: new Issuer(database),
    housekeeping: new Housekeeping(database, config),
  };
}
