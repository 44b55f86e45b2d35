import type { Core } from '../../platform/core.js';
import { BrowserCookie } from '../../platform/http/host-cookie.js';
import { AccountDomains } from './account-domains.js';
import { DomainConfirmation } from './domain-confirmation.js';
import { IdentityProviders } from './identity-providers.js';
import { ProviderClient } from './provider-client.js';
import { signInRequestSeconds } from './sign-in-requests.js';
import { SingleSignOn } from './single-sign-on.js';
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
    /**
     * The response must arrive in the browser that signs in: otherwise an attacker could sign a user in as the attacker, or get a
     * response of the user.
     */
    ssoStateCookie: new BrowserCookie('sign_in_browser', config.baseUrl, signInRequestSeconds),
    singleSignOn: new SingleSignOn(core, { providers, identities, client }),
  };
}
