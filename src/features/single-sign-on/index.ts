import type { Core } from '../../platform/core.js';
import { AccountDomains } from './account-domains.js';
import { DomainConfirmation } from './domain-confirmation.js';
import { IdentityProviders } from './identity-providers.js';
import { ProviderClient } from './provider-client.js';
import { SingleSignOn } from './single-sign-on.js';
import { SsoStateCookie } from './sso-state-cookie.js';
import { UserIdentities } from './user-identities.js';

export type SingleSignOnServices = ReturnType<typeof createSingleSignOn>;

export function createSingleSignOn(core: Core) {
  const { config, database, clock } = core;
  const client = new ProviderClient(config);
  const providers = new IdentityProviders(core, client);
  const identities = new UserIdentities(database, clock);
  return {
    providers,
    identities,
    domains: new AccountDomains(database),
    domainConfirmation: new DomainConfirmation(core),
    ssoStateCookie: new SsoStateCookie(config),
    singleSignOn: new SingleSignOn(core, { providers, identities, client }),
  };
}
