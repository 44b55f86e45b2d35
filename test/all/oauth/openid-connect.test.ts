import { createHash } from 'node:crypto';
import { exportJWK } from 'jose';
import * as oauth from 'oauth4webapi';
import t, { type Test } from '../../support/tap.js';
import { NetworkBrowser, startLiveServer, systemClock } from './oauth-clients.js';
import { oauth4webapi } from './relying-parties/oauth4webapi.js';
import { openidClient } from './relying-parties/openid-client.js';
import type {
  Credentials,
  RelyingParty,
  RelyingPartyLibrary,
  RelyingPartySettings,
  SignedIn,
} from './relying-parties/relying-party.js';

// Certified libraries of OpenID Connect with their default settings, except that the server uses plain HTTP.

const server = await startLiveServer(t, systemClock);
const libraries = [openidClient, oauth4webapi];
const scope = 'openid profile email reports:read';

/** Ways in which a client authenticates, with the algorithm of its key. */
const methods = ['none', 'client_secret_basic', 'ES256', 'PS256', 'Ed25519'] as const;
type Method = (typeof methods)[number];

/** Registers an application for this method. */
async function register(method: Method): Promise<RelyingPartySettings> {
  if (method === 'none' || method === 'client_secret_basic') {
    const { issuer, clientId, clientSecret, redirectUri } = await server.register(method);
    const credentials: Credentials = method === 'none' ? { method } : { method, clientSecret };
    return { issuer, clientId, redirectUri, credentials };
  }
  const { publicKey, privateKey } = await oauth.generateKeyPair(method);
  const kid = `key for ${method}`;
  const settings = await server.registerKeys([{ ...(await exportJWK(publicKey)), kid }]);
  return { ...settings, credentials: { method: 'private_key_jwt', key: privateKey, kid } };
}

/** Signs the owner in, and allows the request. */
async function signIn(client: RelyingParty): Promise<SignedIn> {
  const { url, finish } = await client.begin(scope);
  return finish(await new NetworkBrowser(server.issuer).decide(url, server.owner, 'allow'));
}

/** The library does not compare `at_hash` in this flow. */
function expectClaims(t: Test, { claims, accessToken }: SignedIn, settings: RelyingPartySettings): void {
  const { owner, issuer } = server;
  t.match(claims, { iss: issuer, sub: owner.id, aud: settings.clientId, amr: ['pwd'] });
  const hash = createHash('sha256').update(accessToken).digest();
  t.equal(claims.at_hash, hash.subarray(0, 16).toString('base64url'));
}

async function completes(
  t: Test,
  library: RelyingPartyLibrary,
  settings: RelyingPartySettings,
): Promise<void> {
  const tokenType = settings.proofKeys === undefined ? 'bearer' : 'dpop';
  const isConfidential = settings.credentials.method !== 'none';
  const client = await library.connect(settings);
  const tokens = await signIn(client);
  t.equal(tokens.tokenType, tokenType);
  expectClaims(t, tokens, settings);
  t.match(await client.userInfo(tokens.accessToken, server.owner.id), {
    sub: server.owner.id,
    email: server.owner.email,
    name: 'Ada Lovelace',
  });
  await t.rejects(client.userInfo(tokens.accessToken, 'another user'), 'sub is another one');
  const page = await client.get(server.employeesUrl, tokens.accessToken);
  t.match(await page.json(), { meta: { record_count: 3 } });

  const refreshed = await client.refresh(tokens.refreshToken);
  t.equal(refreshed.tokenType, tokenType);
  t.not(refreshed.accessToken, tokens.accessToken);
  expectClaims(t, refreshed, settings);
  t.equal(refreshed.claims.auth_time, tokens.claims.auth_time);

  if (isConfidential) {
    const described = { active: true, client_id: settings.clientId, sub: server.owner.id, scope };
    t.match(await client.introspect(refreshed.accessToken), described);
    t.match(await client.introspect(refreshed.refreshToken), described);
    const own = await client.clientCredentials('reports:read');
    t.equal(own.tokenType, tokenType);
    t.equal((await client.get(server.employeesUrl, own.accessToken)).status, 200);
  }

  await client.revoke(refreshed.refreshToken);
  if (isConfidential) t.same(await client.introspect(refreshed.accessToken), { active: false });
  await t.rejects(client.userInfo(refreshed.accessToken, server.owner.id), 'the access token is revoked');
  await t.rejects(client.refresh(refreshed.refreshToken), 'the refresh token is revoked');
}

for (const library of libraries) {
  for (const method of methods)
    t.test(
      `${library.name} signs a user in, reads UserInfo, refreshes and revokes with ${method}`,
      async (t) => completes(t, library, await register(method)),
    );

  for (const method of ['none', 'client_secret_basic', 'ES256'] as const)
    t.test(`${library.name} does the same with ${method} and tokens that are bound to a key`, async (t) => {
      const proofKeys = await oauth.generateKeyPair('ES256');
      await completes(t, library, { ...(await register(method)), proofKeys });
    });

  for (const algorithm of ['PS256', 'Ed25519'] as const)
    t.test(`${library.name} binds tokens to a key for ${algorithm}`, async (t) => {
      const proofKeys = await oauth.generateKeyPair(algorithm);
      await completes(t, library, { ...(await register('none')), proofKeys });
    });

  t.test(`${library.name} rejects the response to an authorization request with another nonce`, async (t) => {
    const client = await library.connect(await register('none'));
    const { url, finish } = await client.begin(scope);
    url.searchParams.set('nonce', 'of another request');
    const callback = await new NetworkBrowser(server.issuer).decide(url, server.owner, 'allow');
    await t.rejects(finish(callback), { code: oauth.JWT_CLAIM_COMPARISON });
  });

  t.test(`${library.name} does not authenticate with a key that is not registered`, async (t) => {
    const settings = await register('ES256');
    const { privateKey: key } = await oauth.generateKeyPair('ES256');
    const credentials = { ...settings.credentials, key } as Credentials;
    const client = await library.connect({ ...settings, credentials });
    const error = await client.clientCredentials('reports:read').catch((error: unknown) => error);
    t.match(error, { error: 'invalid_client', status: 401 });
  });

  for (const [method, isBound] of [
    ['none', false],
    ['client_secret_basic', false],
    ['ES256', false],
    ['PS256', false],
    ['none', true],
    ['client_secret_basic', true],
    ['ES256', true],
  ] as const)
    t.test(
      `${library.name} pushes a request with ${method}${isBound ? ' and a DPoP proof' : ''}`,
      async (t) => {
        const proofKeys = isBound ? await oauth.generateKeyPair('ES256') : undefined;
        const settings = { ...(await register(method)), ...(proofKeys && { proofKeys }) };
        const client = await library.connect(settings);
        const { url, finish } = await client.begin(scope, { pushed: true, parameters: { prompt: 'login' } });
        t.same([...url.searchParams.keys()].sort(), ['client_id', 'request_uri']);
        const browser = new NetworkBrowser(server.issuer);
        const tokens = await finish(await browser.decide(url, server.owner, 'allow'));
        t.equal(tokens.tokenType, isBound ? 'dpop' : 'bearer');
        expectClaims(t, tokens, settings);
        await t.rejects(browser.open(url), /authorize responded with 400/, 'the request is consumed');
      },
    );

  t.test(`${library.name} gets the errors of a pushed request`, async (t) => {
    const client = await library.connect(await register('none'));
    for (const [parameters, error] of [
      [{ prompt: 'none login' }, 'invalid_request'],
      [{ max_age: '-1' }, 'invalid_request'],
      [{ resource: 'https://other.example' }, 'invalid_target'],
    ] as const) {
      const rejection = await client
        .begin(scope, { pushed: true, parameters })
        .catch((error: unknown) => error);
      t.match(rejection, { error, status: 400 });
    }
    const rejection = await client.begin('openid unknown', { pushed: true }).catch((error: unknown) => error);
    t.match(rejection, { error: 'invalid_scope', status: 400 });
  });

  for (const pushed of [false, true])
    t.test(
      `${library.name} verifies auth_time after max_age and prompt=login${pushed ? ' that it pushed' : ''}`,
      async (t) => {
        const client = await library.connect(await register('client_secret_basic'));
        const browser = new NetworkBrowser(server.issuer);
        const first = await client.begin(scope, { pushed });
        const tokens = await first.finish(await browser.decide(first.url, server.owner, 'allow'));
        const recent = await client.begin(scope, { pushed, parameters: { max_age: '3600' } });
        const consent = await browser.open(recent.url);
        const callback = (await browser.submit(consent, { decision: 'allow' })).url;
        const silent = await recent.finish(callback);
        t.equal(silent.claims.auth_time, tokens.claims.auth_time, 'without a new sign-in');
        for (const parameters of [
          { prompt: 'login' },
          { max_age: '3600' },
          { prompt: 'login', max_age: '3600' },
        ] as Record<string, string>[]) {
          await server.ageSessions(7200);
          const { url, finish } = await client.begin(scope, { pushed, parameters });
          const page = await browser.open(url);
          t.equal(page.url.pathname, '/sign_in', JSON.stringify(parameters));
          const after = Math.floor(Date.now() / 1000);
          const again = await finish(await browser.decide(url, server.owner, 'allow'));
          t.ok(Number(again.claims.auth_time) >= after, JSON.stringify(parameters));
        }
      },
    );

  t.test(`${library.name} rejects the session of a user who removed max_age from the address`, async (t) => {
    const client = await library.connect(await register('none'));
    const browser = new NetworkBrowser(server.issuer);
    const first = await client.begin(scope);
    await first.finish(await browser.decide(first.url, server.owner, 'allow'));
    await server.ageSessions(7200);
    const { url, finish } = await client.begin(scope, { parameters: { max_age: '3600' } });
    url.searchParams.delete('max_age');
    const callback = (await browser.submit(await browser.open(url), { decision: 'allow' })).url;
    await t.rejects(finish(callback), { code: oauth.JWT_TIMESTAMP_CHECK });
  });

  t.test(`${library.name} gets login_required and consent_required for a pushed prompt=none`, async (t) => {
    const client = await library.connect(await register('none'));
    const browser = new NetworkBrowser(server.issuer);
    const errorOf = async () => {
      const { url, finish } = await client.begin(scope, { pushed: true, parameters: { prompt: 'none' } });
      const { url: callback } = await browser.open(url);
      return finish(callback).catch((error: unknown) => error);
    };
    t.match(await errorOf(), { error: 'login_required' });
    await browser.signIn(new URL('/sign_in', server.issuer), server.owner);
    t.match(await errorOf(), { error: 'consent_required' });
  });

  t.test(`${library.name} signs the user out, and the browser returns with the state`, async (t) => {
    const settings = await register('none');
    const signedOut = 'http://localhost:8080/signed-out';
    await server.registerSignOut(settings.clientId, signedOut);
    const client = await library.connect(settings);
    const browser = new NetworkBrowser(server.issuer);
    const { url, finish } = await client.begin(scope);
    const { idToken } = await finish(await browser.decide(url, server.owner, 'allow'));
    const confirmation = await browser.open(
      client.endSessionUrl({
        id_token_hint: idToken,
        post_logout_redirect_uri: signedOut,
        state: 'kept by the application',
      }),
    );
    t.equal(
      (await browser.open(url)).url.pathname,
      url.pathname,
      'the user is signed in until the form is sent',
    );
    const { url: end } = await browser.submit(confirmation, {});
    t.equal(end.href, `${signedOut}?state=kept%20by%20the%20application`);
    t.equal((await browser.open(url)).url.pathname, '/sign_in');
  });
}
