import type { Clock } from '../../clock.js';
import type { Config } from '../../config/config.js';
import type { Database, DatabaseLogger } from '../../database/client.js';
import type { AuditLog } from '../audit-log.js';
import type { Counter } from '../counters/counter.js';
import { FailureLimit } from '../failure-limit.js';
import type { AppSecrets } from '../keyring.js';
import type { Sessions } from '../sessions.js';
import { AccountDomains } from './account-domains.js';
import { IdentityProviders } from './identity-providers.js';
import { ProviderClient } from './provider-client.js';
import { createProviderFetch } from './provider-fetch.js';
import { createProviderSeal } from './provider-seal.js';
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
