import * as openid from 'openid-client';
import type { Credentials, RelyingPartyLibrary, SignedIn } from './relying-party.js';

export const openidClient: RelyingPartyLibrary = {
  name: 'openid-client',

  async connect({ issuer, clientId, redirectUri, credentials, proofKeys }) {
    const config = await openid.discovery(
      new URL(issuer),
      clientId,
      undefined,
      authenticationOf(credentials),
      // The test server uses plain HTTP, so that the signature of the ID token is needed too.
      { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] },
    );
    const options = proofKeys === undefined ? {} : { DPoP: openid.getDPoPHandle(config, proofKeys) };
    return {
      async begin(scope, { pushed = false, parameters = {} } = {}) {
        const pkceCodeVerifier = openid.randomPKCECodeVerifier();
        const expectedState = openid.randomState();
        const expectedNonce = openid.randomNonce();
        const request = {
          ...parameters,
          redirect_uri: redirectUri,
          scope,
          state: expectedState,
          nonce: expectedNonce,
          code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
          code_challenge_method: 'S256',
        };
        const url = pushed
          ? await openid.buildAuthorizationUrlWithPAR(config, request, options)
          : openid.buildAuthorizationUrl(config, request);
        const maxAge = parameters.max_age === undefined ? {} : { maxAge: Number(parameters.max_age) };
        const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true, ...maxAge };
        return {
          url,
          finish: async (callback) =>
            signedIn(await openid.authorizationCodeGrant(config, callback, checks, undefined, options)),
        };
      },

      refresh: async (refreshToken) =>
        signedIn(await openid.refreshTokenGrant(config, refreshToken, undefined, options)),
      userInfo: (accessToken, subject) => openid.fetchUserInfo(config, accessToken, subject, options),

      async clientCredentials(scope) {
        const tokens = await openid.clientCredentialsGrant(config, { scope }, options);
        return { accessToken: tokens.access_token, tokenType: tokens.token_type };
      },

      introspect: (token) => openid.tokenIntrospection(config, token),
      revoke: (token) => openid.tokenRevocation(config, token),
      get: (url, accessToken) =>
        openid.fetchProtectedResource(config, accessToken, url, 'GET', undefined, undefined, options),
      endSessionUrl: (parameters) => openid.buildEndSessionUrl(config, parameters),
    };
  },
};

function signedIn(tokens: openid.TokenEndpointResponse & openid.TokenEndpointResponseHelpers): SignedIn {
  return {
    accessToken: tokens.access_token,
    refreshToken: tokens.refresh_token ?? '',
    tokenType: tokens.token_type,
    idToken: tokens.id_token ?? '',
    claims: tokens.claims() ?? {},
  };
}

function authenticationOf(credentials: Credentials): openid.ClientAuth {
  if (credentials.method === 'none') return openid.None();
  return credentials.method === 'client_secret_basic'
    ? openid.ClientSecretBasic(credentials.clientSecret)
    : openid.PrivateKeyJwt(credentials);
}
