import { AccountDomains } from '../../platform/accounts/account-domains.js';
import type { Core } from '../../platform/core.js';
import { FailureLimit } from '../../platform/limits/failure-limit.js';
import { IdentityProviders } from './identity-providers.js';
import { ProviderClient } from './provider-client.js';
import { createProviderFetch } from './provider-fetch.js';
import { createProviderSeal } from './provider-secrets.js';
import { SignInRequests } from './sign-in-requests.js';
import { SingleSignOn } from './single-sign-on.js';
import { SsoStateCookie } from './sso-state-cookie.js';
import { UserIdentities } from './user-identities.js';

/**
 * Factor between the sign-ins of an account that a network may start in a minute and the failure limit, because an office may
 * have one address.
 */
const startFactor = 10;

export function createSingleSignOn(core: Core) {
  const { config, database, clock, appSecrets, auditLog, logger } = core;
  const { baseUrl, production, allowPrivateIdentityProviders: allowPrivate } = config;
  const allowHttp = !production;
  const client = new ProviderClient({ fetch: createProviderFetch({ allowPrivate }), allowHttp, baseUrl });
  const providers = new IdentityProviders({
    ...{ database, seal: createProviderSeal(appSecrets), client, allowHttp },
  });
  const identities = new UserIdentities(database, clock);
  return {
    providers,
    identities,
    domains: new AccountDomains(database),
    ssoStateCookie: new SsoStateCookie({ baseUrl }),
    singleSignOn: new SingleSignOn({
      ...{ providers, identities, client, auditLog, clock, logger },
      requests: new SignInRequests(database, clock),
      sessions: core.userSessions,
      failureLimit: new FailureLimit(core.counters.failures, config.rateLimitFailures * startFactor),
    }),
  };
}
