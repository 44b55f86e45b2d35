import type { Core } from '../platform/core.js';
import { createAuthenticate } from './authentication.js';
import { AuthorizationEndpoint } from './authorization-endpoint.js';
import { ConsentHandlers } from './consent/consent.js';
import { createReadPushedRequest } from './consent/pushed-request-query.js';
import { RepeatedSignIn } from './consent/repeated-sign-in.js';
import type { SigningKeys } from './keys/signing-keys.js';
import { LogoutEndpoint } from './logout/logout-endpoint.js';
import { LogoutHandlers } from './logout/logout-pages.js';
import { authorizationServerMetadata, OAuthHandlers } from './oauth-handlers.js';
import { createRequestLimits } from './request-limits.js';
import { createOAuthServices } from './services.js';

/** Creates the authorization server: its handlers, and what other features use of it. */
export function createAuthorizationServer(core: Core, signingKeys: SigningKeys) {
  const services = createOAuthServices(core, signingKeys);
  const { clients, installations, lastUseRecorder, grants, pushedRequests } = services;
  const authorizationEndpoint = new AuthorizationEndpoint(services);
  const logoutEndpoint = new LogoutEndpoint(services);
  const repeatedSignIn = new RepeatedSignIn(core);
  const { api: limit, publicLimits } = createRequestLimits(core.config, core.counters);
  const authentication = { ...services, limit };
  return {
    clients,
    installations,
    pushedRequests,
    readPushedRequest: createReadPushedRequest(pushedRequests, core.config.baseUrl),
    lastUseRecorder,
    grants,
    authorizationEndpoint,
    logoutEndpoint,
    repeatedSignIn,
    authenticate: createAuthenticate(authentication, 'api'),
    /** For the endpoint of the Model Context Protocol. */
    authenticateMcp: createAuthenticate(authentication, 'mcp'),
    publicLimits,
    handlers: new OAuthHandlers({
      services,
      signingKeys,
      metadata: authorizationServerMetadata(core.contract, core.config.baseUrl),
      limits: publicLimits,
    }),
    consentHandlers: new ConsentHandlers(authorizationEndpoint, { ...core, repeatedSignIn }),
    logoutHandlers: new LogoutHandlers(logoutEndpoint, core),
  };
}
