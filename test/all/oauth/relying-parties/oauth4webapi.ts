import * as oauth from 'oauth4webapi';
import { insecure } from '../clients/oauth4webapi.js';
import type { Credentials, RelyingPartyLibrary, SignedIn } from './relying-party.js';

export const oauth4webapi: RelyingPartyLibrary = {
  name: 'oauth4webapi',

  async connect({ issuer, clientId, redirectUri, credentials, proofKeys }) {
    const identifier = new URL(issuer);
    const server = await oauth.processDiscoveryResponse(
      identifier,
      await oauth.discoveryRequest(identifier, insecure),
    );
    const client: oauth.Client = { client_id: clientId };
    const authentication = authenticationOf(credentials);
    const options = {
      ...insecure,
      ...(proofKeys !== undefined && { DPoP: oauth.DPoP(client, proofKeys) }),
    };

    /** Validates a token response, and the signature of its ID token with the published keys. */
    async function validate(
      response: Response,
      process: (response: Response) => Promise<oauth.TokenEndpointResponse>,
    ): Promise<SignedIn> {
      const tokens = await process(response);
      await oauth.validateApplicationLevelSignature(server, response, insecure);
      return {
        accessToken: tokens.access_token,
        refreshToken: tokens.refresh_token ?? '',
        tokenType: tokens.token_type,
        idToken: tokens.id_token ?? '',
        claims: { ...oauth.getValidatedIdTokenClaims(tokens) },
      };
    }

    /** Pushes a request, and returns the parameters for the browser. */
    const push = (parameters: Record<string, string>) =>
      withNonce(async () => {
        const response = await oauth.pushedAuthorizationRequest(
          server,
          client,
          authentication,
          parameters,
          options,
        );
        const { request_uri } = await oauth.processPushedAuthorizationResponse(server, client, response);
        return { client_id: clientId, request_uri };
      });

    return {
      async begin(scope, { pushed = false, parameters = {} } = {}) {
        const verifier = oauth.generateRandomCodeVerifier();
        const state = oauth.generateRandomState();
        const expectedNonce = oauth.generateRandomNonce();
        const url = new URL(server.authorization_endpoint ?? '');
        const request = {
          ...parameters,
          response_type: 'code',
          client_id: clientId,
          redirect_uri: redirectUri,
          scope,
          state,
          nonce: expectedNonce,
          code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
          code_challenge_method: 'S256',
        };
        url.search = new URLSearchParams(pushed ? await push(request) : request).toString();
        const maxAge = parameters.max_age === undefined ? {} : { maxAge: Number(parameters.max_age) };
        return {
          url,
          finish: (callback) =>
            withNonce(async () => {
              const answer = oauth.validateAuthResponse(server, client, callback, state);
              const response = await oauth.authorizationCodeGrantRequest(
                server,
                client,
                authentication,
                answer,
                redirectUri,
                verifier,
                options,
              );
              return validate(response, (response) =>
                oauth.processAuthorizationCodeResponse(server, client, response, {
                  expectedNonce,
                  requireIdToken: true,
                  ...maxAge,
                }),
              );
            }),
        };
      },

      refresh: (refreshToken) =>
        withNonce(async () =>
          validate(
            await oauth.refreshTokenGrantRequest(server, client, authentication, refreshToken, options),
            (response) => oauth.processRefreshTokenResponse(server, client, response),
          ),
        ),

      userInfo: (accessToken, subject) =>
        withNonce(async () => {
          const response = await oauth.userInfoRequest(server, client, accessToken, options);
          return oauth.processUserInfoResponse(server, client, subject, response);
        }),

      clientCredentials: (scope) =>
        withNonce(async () => {
          const tokens = await oauth.processClientCredentialsResponse(
            server,
            client,
            await oauth.clientCredentialsGrantRequest(server, client, authentication, { scope }, options),
          );
          return { accessToken: tokens.access_token, tokenType: tokens.token_type };
        }),

      introspect: async (token) =>
        oauth.processIntrospectionResponse(
          server,
          client,
          await oauth.introspectionRequest(server, client, authentication, token, insecure),
        ),

      revoke: async (token) =>
        oauth.processRevocationResponse(
          await oauth.revocationRequest(server, client, authentication, token, insecure),
        ),

      get: (url, accessToken) =>
        withNonce(() =>
          oauth.protectedResourceRequest(accessToken, 'GET', url, undefined, undefined, options),
        ),

      // The library has no function for it.
      endSessionUrl: (parameters) =>
        new URL(`${server.end_session_endpoint}?${new URLSearchParams(parameters)}`),
    };
  },
};

/** Sends a request again with the nonce of the rejection, which the library has stored in the handle. */
export async function withNonce<Result>(send: () => Promise<Result>): Promise<Result> {
  return send().catch((error) => {
    if (oauth.isDPoPNonceError(error)) return send();
    throw error;
  });
}

function authenticationOf(credentials: Credentials): oauth.ClientAuth {
  if (credentials.method === 'none') return oauth.None();
  return credentials.method === 'client_secret_basic'
    ? oauth.ClientSecretBasic(credentials.clientSecret)
    : oauth.PrivateKeyJwt(credentials);
}
