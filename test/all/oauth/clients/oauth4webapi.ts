import * as oauth from 'oauth4webapi';
import type { ClientLibrary, ClientSettings, OAuthClient } from '../oauth-clients.js';

/** The test server uses plain HTTP. */
export const insecure = { [oauth.allowInsecureRequests]: true } as const;

export const oauth4webapi: ClientLibrary = {
  name: 'oauth4webapi',

  async connect(settings: ClientSettings): Promise<OAuthClient> {
    const server = await discover(settings.issuer);
    const client: oauth.Client = { client_id: settings.clientId };
    const authentication = authenticationOf(settings);
    return {
      async clientCredentials(scope) {
        return oauth.processClientCredentialsResponse(
          server,
          client,
          await oauth.clientCredentialsGrantRequest(server, client, authentication, { scope }, insecure),
        );
      },

      async beginAuthorization(scope) {
        const verifier = oauth.generateRandomCodeVerifier();
        const state = oauth.generateRandomState();
        const url = new URL(server.authorization_endpoint ?? '');
        url.search = new URLSearchParams({
          response_type: 'code',
          client_id: settings.clientId,
          redirect_uri: settings.redirectUri,
          scope,
          state,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        }).toString();
        return {
          url,
          async finish(callback) {
            const parameters = oauth.validateAuthResponse(server, client, callback, state);
            const response = await oauth.authorizationCodeGrantRequest(
              server,
              client,
              authentication,
              parameters,
              settings.redirectUri,
              verifier,
              insecure,
            );
            return oauth.processAuthorizationCodeResponse(server, client, response);
          },
        };
      },

      async refresh(refreshToken) {
        return oauth.processRefreshTokenResponse(
          server,
          client,
          await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, insecure),
        );
      },

      async revoke(token, kind) {
        await oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, authentication, token, {
            ...insecure,
            additionalParameters: { token_type_hint: kind },
          }),
        );
      },

      async get(url, accessToken) {
        const response = await oauth.protectedResourceRequest(
          accessToken,
          'GET',
          url,
          undefined,
          undefined,
          insecure,
        );
        return response.json();
      },

      codeOf: (error) => codeOfError(error, settings),
    };
  },
};

/** Reads the metadata of a server as RFC 8414 describes. */
export async function discover(issuer: string): Promise<oauth.AuthorizationServer> {
  const identifier = new URL(issuer);
  const response = await oauth.discoveryRequest(identifier, { ...insecure, algorithm: 'oauth2' });
  return oauth.processDiscoveryResponse(identifier, response);
}

/** The code in an error of oauth4webapi; those of openid-client are the same. */
export async function codeOfError(error: unknown, { method }: ClientSettings): Promise<unknown> {
  if (error instanceof oauth.ResponseBodyError || error instanceof oauth.AuthorizationResponseError) {
    return error.error;
  }
  if (!(error instanceof oauth.WWWAuthenticateChallengeError)) throw error;
  // With a challenge, the library does not read the body. The challenge of HTTP Basic has no error code.
  const named = error.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters.error;
  if (named !== undefined || method !== 'client_secret_basic') return named;
  return ((await error.response.json()) as { error?: unknown }).error;
}

function authenticationOf({ method, clientSecret }: ClientSettings): oauth.ClientAuth {
  if (method === 'none') return oauth.None();
  return method === 'client_secret_post'
    ? oauth.ClientSecretPost(clientSecret)
    : oauth.ClientSecretBasic(clientSecret);
}
