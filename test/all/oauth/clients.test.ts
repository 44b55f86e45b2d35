import * as oauth from 'oauth4webapi';
import t, { type Test } from '../../support/tap.js';
import { discover, insecure, oauth4webapi } from './clients/oauth4webapi.js';
import { openidClient } from './clients/openid-client.js';
import { passportOAuth2 } from './clients/passport-oauth2.js';
import { simpleOAuth2 } from './clients/simple-oauth2.js';
import {
  type AuthenticationMethod,
  bearer,
  NetworkBrowser,
  type OAuthClient,
  startLiveServer,
  type Tokens,
} from './oauth-clients.js';

// Client libraries as applications use them: over the network, with the sign-in and consent pages.

const server = await startLiveServer(t);
const libraries = [oauth4webapi, openidClient, simpleOAuth2, passportOAuth2];
const methods: readonly AuthenticationMethod[] = ['none', 'client_secret_post', 'client_secret_basic'];
const scope = 'reports:read user:read';

/** Redirects a user to the consent screen; the user allows the request. */
async function authorize(client: OAuthClient): Promise<{ tokens: Tokens; repeat: () => Promise<Tokens> }> {
  const pending = await client.beginAuthorization(scope);
  const callback = await new NetworkBrowser(server.issuer).decide(pending.url, server.owner, 'allow');
  return { tokens: await pending.finish(callback), repeat: () => pending.finish(callback) };
}

async function readsEmployees(t: Test, client: OAuthClient, { access_token }: Tokens): Promise<void> {
  t.match(await client.get(server.employeesUrl, access_token), { meta: { record_count: 3 } });
}

/** Expects that the library passes the error code to its caller. */
async function readsCode(
  t: Test,
  client: OAuthClient,
  code: string,
  attempt: Promise<unknown>,
): Promise<void> {
  const error = await attempt.then(
    () => t.fail(`${code} was expected, but the request succeeded`),
    (error: unknown) => error,
  );
  t.equal(await client.codeOf(error), code);
}

function refreshTokenOf({ refresh_token }: Tokens): string {
  if (refresh_token === undefined) throw new Error('There is no refresh token');
  return refresh_token;
}

for (const library of libraries) {
  const { name } = library;

  for (const method of methods) {
    t.test(`${name} completes code + PKCE, refresh and revocation with ${method}`, async (t) => {
      const client = await library.connect(await server.register(method));
      const { tokens, repeat } = await authorize(client);
      t.match(tokens, { scope, expires_in: 3600 });
      await readsEmployees(t, client, tokens);
      await readsCode(t, client, 'invalid_grant', repeat());

      const refreshed = await client.refresh(refreshTokenOf(tokens));
      t.match(refreshed, { scope, expires_in: 3600 });
      t.not(refreshTokenOf(refreshed), refreshTokenOf(tokens));
      await readsEmployees(t, client, refreshed);
      await readsCode(t, client, 'invalid_grant', client.refresh(refreshTokenOf(tokens)));

      await client.revoke(tokens.access_token, 'access_token');
      await readsCode(t, client, 'invalid_token', client.get(server.employeesUrl, tokens.access_token));
      await readsEmployees(t, client, refreshed);

      await client.revoke(refreshTokenOf(refreshed), 'refresh_token');
      await readsCode(t, client, 'invalid_token', client.get(server.employeesUrl, refreshed.access_token));
      await readsCode(t, client, 'invalid_grant', client.refresh(refreshTokenOf(refreshed)));
    });

    t.test(`${name} reads the code when an unknown client uses ${method}`, async (t) => {
      const client = await library.connect({ ...(await server.register(method)), clientId: 'nobody' });
      await readsCode(t, client, 'invalid_client', client.refresh('anything'));
    });

    if (method === 'none') continue;

    t.test(`${name} gets and uses client credentials with ${method}`, async (t) => {
      const client = await library.connect(await server.register(method));
      const tokens = await client.clientCredentials(scope);
      t.match(tokens, { scope, expires_in: 3600 });
      t.equal(tokens.refresh_token, undefined);
      await readsEmployees(t, client, tokens);

      const narrow = await client.clientCredentials('user:read');
      await readsCode(t, client, 'insufficient_scope', client.get(server.employeesUrl, narrow.access_token));
      await readsCode(t, client, 'invalid_scope', client.clientCredentials('reports:destroy'));

      await client.revoke(tokens.access_token, 'access_token');
      await readsCode(t, client, 'invalid_token', client.get(server.employeesUrl, tokens.access_token));
    });

    t.test(`${name} reads the code of a wrong secret sent with ${method}`, async (t) => {
      const settings = { ...(await server.register(method)), clientSecret: 'wrong' };
      const client = await library.connect(settings);
      await readsCode(t, client, 'invalid_client', client.clientCredentials(scope));
    });
  }

  t.test(`${name} reads that a public client has no client credentials`, async (t) => {
    const client = await library.connect(await server.register('none'));
    await readsCode(t, client, 'unauthorized_client', client.clientCredentials(scope));
  });

  t.test(`${name} reads from the redirect that a scope is not configured`, async (t) => {
    const client = await library.connect(await server.register('none'));
    const pending = await client.beginAuthorization('reports:read reports:destroy');
    const { url } = await new NetworkBrowser(server.issuer).signIn(pending.url, server.owner);
    await readsCode(t, client, 'invalid_scope', pending.finish(url));
  });

  t.test(`${name} reads access_denied from the redirect`, async (t) => {
    const client = await library.connect(await server.register('none'));
    const pending = await client.beginAuthorization(scope);
    const callback = await new NetworkBrowser(server.issuer).decide(pending.url, server.owner, 'deny');
    await readsCode(t, client, 'access_denied', pending.finish(callback));
  });
}

for (const library of [oauth4webapi, openidClient]) {
  t.test(`${library.name} rejects a response without iss, as the metadata requires`, async (t) => {
    const client = await library.connect(await server.register('none'));
    for (const iss of [undefined, 'https://attacker.example']) {
      const pending = await client.beginAuthorization(scope);
      const callback = await new NetworkBrowser(server.issuer).decide(pending.url, server.owner, 'allow');
      t.equal(callback.searchParams.get('iss'), server.issuer);
      const forged = new URL(callback);
      forged.searchParams.delete('iss');
      if (iss !== undefined) forged.searchParams.set('iss', iss);
      await t.rejects(pending.finish(forged), { code: oauth.INVALID_RESPONSE });
      await readsEmployees(t, client, await pending.finish(callback));
    }
  });
}

t.test('oauth4webapi finds the features of the server in the metadata', async (t) => {
  const metadata = await discover(server.issuer);
  t.same(metadata.code_challenge_methods_supported, ['S256']);
  for (const method of methods) {
    t.ok(metadata.token_endpoint_auth_methods_supported?.includes(method), method);
    t.ok(metadata.revocation_endpoint_auth_methods_supported?.includes(method), method);
  }
});

t.test('oauth4webapi accepts access tokens as JWTs of RFC 9068, by the published keys', async (t) => {
  const metadata = await discover(server.issuer);
  const settings = await server.register('client_secret_basic');
  const client = await oauth4webapi.connect(settings);
  const { tokens } = await authorize(client);
  const refreshed = await client.refresh(refreshTokenOf(tokens));
  const own = await client.clientCredentials(scope);
  const validate = ({ access_token }: Tokens, audience = server.issuer) =>
    oauth.validateJwtAccessToken(metadata, new Request(server.employeesUrl, bearer(access_token)), audience, {
      ...insecure,
      signingAlgorithms: ['ES256'],
    });

  for (const userTokens of [tokens, refreshed]) {
    t.match(await validate(userTokens), { sub: server.owner.id, client_id: settings.clientId, scope });
  }
  t.match(await validate(own), { sub: settings.clientId, client_id: settings.clientId, scope });
  await t.rejects(validate(tokens, 'https://api.elsewhere.example'), {
    code: oauth.JWT_CLAIM_COMPARISON,
    cause: { claim: 'aud' },
  });
});
