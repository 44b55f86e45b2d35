import * as oauth from 'oauth4webapi';
import t from '../../support/tap.js';
import { discover, insecure } from './clients/oauth4webapi.js';
import { NetworkBrowser, startLiveServer } from './oauth-clients.js';
import { withNonce } from './relying-parties/oauth4webapi.js';

const server = await startLiveServer(t);

for (const algorithm of ['ES256', 'PS256'] as const) {
  t.test(
    `oauth4webapi completes code, refresh and an API call with DPoP, a nonce and ${algorithm}`,
    async (t) => {
      const metadata = await discover(server.issuer);
      t.ok(metadata.dpop_signing_alg_values_supported?.includes(algorithm));
      const settings = await server.register('none');
      const client: oauth.Client = { client_id: settings.clientId };
      const keys = await oauth.generateKeyPair(algorithm);
      const options = { ...insecure, DPoP: oauth.DPoP(client, keys) };
      const verifier = oauth.generateRandomCodeVerifier();
      const state = oauth.generateRandomState();
      const url = new URL(metadata.authorization_endpoint ?? '');
      url.search = new URLSearchParams({
        response_type: 'code',
        client_id: settings.clientId,
        redirect_uri: settings.redirectUri,
        scope: 'reports:read',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        dpop_jkt: await options.DPoP.calculateThumbprint(),
      }).toString();
      const callback = await new NetworkBrowser(server.issuer).decide(url, server.owner, 'allow');
      const parameters = oauth.validateAuthResponse(metadata, client, callback, state);
      const tokens = await withNonce(async () =>
        oauth.processAuthorizationCodeResponse(
          metadata,
          client,
          await oauth.authorizationCodeGrantRequest(
            metadata,
            client,
            oauth.None(),
            parameters,
            settings.redirectUri,
            verifier,
            options,
          ),
        ),
      );
      t.equal(tokens.token_type, 'dpop');
      const refreshed = await withNonce(async () =>
        oauth.processRefreshTokenResponse(
          metadata,
          client,
          await oauth.refreshTokenGrantRequest(
            metadata,
            client,
            oauth.None(),
            tokens.refresh_token ?? '',
            options,
          ),
        ),
      );
      t.equal(refreshed.token_type, 'dpop');
      const call = (token: string) =>
        withNonce(() =>
          oauth.protectedResourceRequest(token, 'GET', server.employeesUrl, undefined, undefined, options),
        );
      const response = await call(refreshed.access_token);
      t.match(await response.json(), { meta: { record_count: 3 } });
      await t.rejects(
        oauth.protectedResourceRequest(
          refreshed.access_token,
          'GET',
          server.employeesUrl,
          undefined,
          undefined,
          insecure,
        ),
        oauth.WWWAuthenticateChallengeError,
      );
    },
  );
}
