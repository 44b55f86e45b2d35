import type { Clock } from '../clock.js';
import type { Database } from '../database/client.js';
import { Accounts } from '../services/accounts.js';
import { OAuthApplications } from '../services/applications/oauth-applications.js';
import { EmployeeImports } from '../services/employee-imports.js';
import { Housekeeping } from '../services/housekeeping.js';
import { Issuer } from '../services/recorded-issuer.js';
import { SigningKeyStore } from '../services/signing-key-store.js';
import { UsageReader } from '../services/usage/usage-reader.js';
import { UserAdministration } from '../services/user-administration.js';
import { Users } from '../services/users.js';

/** Services of the commands. */
export interface CommandServices {
  readonly accounts: Accounts;
  readonly users: Users;
  readonly userAdministration: UserAdministration;
  readonly employeeImports: EmployeeImports;
  readonly applications: OAuthApplications;
  readonly usage: UsageReader;
  readonly issuer: Issuer;
  readonly signingKeys: SigningKeyStore;
  readonly housekeeping: Housekeeping;
}

/** Creates the services of the commands. */
export function composeCommandServices(database: Database, clock: Clock): CommandServices {
  return {
    accounts: new Accounts(database),
    users: new Users(database),
    userAdministration: new UserAdministration(database),
    employeeImports: new EmployeeImports(database, clock),
    applications: new OAuthApplications(database),
    usage: new UsageReader(database),
    signingKeys: new SigningKeyStore(database),
    issuer: new Issuer(database),
    housekeeping: new Housekeeping(database),
  };
}
