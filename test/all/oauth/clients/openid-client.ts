import * as openid from 'openid-client';
import type { ClientLibrary, ClientSettings, OAuthClient } from '../oauth-clients.js';
import { codeOfError } from './oauth4webapi.js';

export const openidClient: ClientLibrary = {
  name: 'openid-client',

  async connect(settings: ClientSettings): Promise<OAuthClient> {
    const config = await openid.discovery(
      new URL(settings.issuer),
      settings.clientId,
      undefined,
      authenticationOf(settings),
      // The test server uses plain HTTP.
      { algorithm: 'oauth2', execute: [openid.allowInsecureRequests] },
    );
    return {
      clientCredentials: (scope) => openid.clientCredentialsGrant(config, { scope }),

      async beginAuthorization(scope) {
        const pkceCodeVerifier = openid.randomPKCECodeVerifier();
        const expectedState = openid.randomState();
        const url = openid.buildAuthorizationUrl(config, {
          redirect_uri: settings.redirectUri,
          scope,
          state: expectedState,
          code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        });
        return {
          url,
          finish: (callback) =>
            openid.authorizationCodeGrant(config, callback, { pkceCodeVerifier, expectedState }),
        };
      },

      refresh: (refreshToken) => openid.refreshTokenGrant(config, refreshToken),
      revoke: (token, kind) => openid.tokenRevocation(config, token, { token_type_hint: kind }),

      async get(url, accessToken) {
        const response = await openid.fetchProtectedResource(config, accessToken, url, 'GET');
        return response.json();
      },

      codeOf: (error) => codeOfError(error, settings),
    };
  },
};

function authenticationOf({ method, clientSecret }: ClientSettings): openid.ClientAuth {
  if (method === 'none') return openid.None();
  return method === 'client_secret_post'
    ? openid.ClientSecretPost(clientSecret)
    : openid.ClientSecretBasic(clientSecret);
}
