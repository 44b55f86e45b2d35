import { createHash, randomBytes } from 'node:crypto';
import { type AccessToken, AuthorizationCode, ClientCredentials, type ModuleOptions } from 'simple-oauth2';
import {
  bearer,
  type ClientLibrary,
  type ClientSettings,
  call,
  type OAuthClient,
  Refusal,
  type Tokens,
} from '../oauth-clients.js';

/** The library supports neither discovery nor PKCE, and does not check the callback; the application does. */
export const simpleOAuth2: ClientLibrary = {
  name: 'simple-oauth2',

  async connect(settings: ClientSettings): Promise<OAuthClient> {
    const options = optionsFor(settings);
    const auth = { ...options.auth, authorizePath: '/v1/oauth/authorize' };
    const client = new AuthorizationCode({ ...options, auth });
    return {
      clientCredentials: async (scope) => tokensOf(await new ClientCredentials(options).getToken({ scope })),

      async beginAuthorization(scope) {
        const verifier = randomBytes(32).toString('base64url');
        const state = randomBytes(16).toString('base64url');
        const request = {
          redirect_uri: settings.redirectUri,
          scope,
          state,
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        };
        return {
          url: new URL(client.authorizeURL(request)),
          async finish({ searchParams }) {
            if (searchParams.get('state') !== state) throw new Error('The response is to another request');
            const error = searchParams.get('error');
            if (error !== null) throw new Refusal(error);
            const exchange = {
              code: searchParams.get('code') ?? '',
              redirect_uri: settings.redirectUri,
              code_verifier: verifier,
            };
            return tokensOf(await client.getToken(exchange));
          },
        };
      },

      refresh: async (refresh_token) => tokensOf(await client.createToken({ refresh_token }).refresh()),
      revoke: (token, kind) => client.createToken({ [kind]: token }).revoke(kind),
      get: (url, accessToken) => call(url, bearer(accessToken)),

      codeOf(error) {
        if (error instanceof Refusal) return error.code;
        return (error as { data: { payload: { error?: unknown } } }).data.payload.error;
      },
    };
  },
};

function optionsFor({ issuer, clientId, clientSecret, method }: ClientSettings): ModuleOptions {
  return {
    // The library does not support public clients, which use an empty secret.
    client: { id: clientId, secret: method === 'none' ? '' : clientSecret },
    auth: { tokenHost: issuer, tokenPath: '/v1/oauth/token', revokePath: '/v1/oauth/revoke' },
    options: { authorizationMethod: method === 'client_secret_basic' ? 'header' : 'body' },
  };
}

function tokensOf({ token }: AccessToken): Tokens {
  return token as unknown as Tokens;
}
