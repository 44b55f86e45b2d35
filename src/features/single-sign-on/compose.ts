import { AccountDomains } from '../../platform/accounts/account-domains.js';
import type { Sessions } from '../../platform/accounts/sessions.js';
import type { AuditLog } from '../../platform/audit/audit-log.js';
import type { Clock } from '../../platform/clock.js';
import type { Config } from '../../platform/config/config.js';
import type { AppSecrets } from '../../platform/crypto/keyring.js';
import type { Database, DatabaseLogger } from '../../platform/database/client.js';
import type { Counter } from '../../platform/limits/counter.js';
import { FailureLimit } from '../../platform/limits/failure-limit.js';
import { IdentityProviders } from './identity-providers.js';
import { ProviderClient } from './provider-client.js';
import { createProviderFetch } from './provider-fetch.js';
import { createProviderSeal } from './provider-secrets.js';
import { SignInRequests } from './sign-in-requests.js';
import { SingleSignOn } from './single-sign-on.js';
import { UserIdentities } from './user-identities.js';

/**
 * Factor between the sign-ins of an account that a network may start in a minute and the failure limit, because an office may
 * have one address.
 */
const startFactor = 10;

interface Dependencies {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly appSecrets: AppSecrets;
  readonly logger: Pick<DatabaseLogger, 'warn'>;
  readonly sessions: Sessions;
  readonly auditLog: AuditLog;
  readonly counter: Counter;
}

/** The services of single sign-on. */
export interface SingleSignOnServices {
  readonly singleSignOn: SingleSignOn;
  readonly providers: IdentityProviders;
  readonly identities: UserIdentities;
  readonly domains: AccountDomains;
}

/** Creates the services of single sign-on. */
export function composeSingleSignOn(dependencies: Dependencies): SingleSignOnServices {
  const { config, database, clock, appSecrets, logger, sessions, auditLog, counter } = dependencies;
  const { baseUrl, production, allowPrivateIdentityProviders: allowPrivate } = config;
  const allowHttp = !production;
  const client = new ProviderClient({ fetch: createProviderFetch({ allowPrivate }), allowHttp, baseUrl });
  const seal = createProviderSeal(appSecrets);
  const providers = new IdentityProviders({ database, seal, client, allowHttp });
  const identities = new UserIdentities(database, clock);
  const requests = new SignInRequests(database, clock);
  const failureLimit = new FailureLimit(counter, config.rateLimitFailures * startFactor);
  const common = { providers, identities };
  return {
    ...common,
    domains: new AccountDomains(database),
    singleSignOn: new SingleSignOn({
      ...{ ...common, client, requests, sessions, auditLog, failureLimit, clock, logger },
    }),
  };
}
