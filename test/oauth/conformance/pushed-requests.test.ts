import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type JWK, SignJWT } from 'jose';
import { Browser } from '../../support/browser/browser.js';
import { responseParameters } from '../../support/oauth/authorize-responses.js';
import { useKeys } from '../../support/oauth/client-keys.js';
import {
  authorizationRequest,
  authorizeUrl,
  createScene,
  expectOAuthError,
  signedInBrowser,
} from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

// The cases of pushed requests (FAPI 1.0 Advanced and FAPI 2.0), and of prompt, max_age and hints (basic OpenID provider), in the
// conformance suite of the OpenID Foundation that other files of test/oauth do not have.

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { app, database, clock } = api;
const endpoint = '/v1/oauth/par';
const issuer = api.config.baseUrl;
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const now = Math.floor(clock().getTime() / 1000);

/** Pushes a request of an application with a key. The assertion has these changes. */
async function pushSigned(changes: Record<string, unknown>) {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { accountId, application } = scene;
  await useKeys(database, application, [publicKey.export({ format: 'jwk' }) as JWK]);
  const { clientId } = application;
  const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomUUID(), iat: now, nbf: now };
  const payload = { ...claims, exp: now + 60, ...changes };
  const response = await api.postForm(endpoint, {
    ...authorizationRequest(scene).parameters,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT(payload).setProtectedHeader({ alg: 'ES256' }).sign(privateKey),
  });
  return { response, stored: await database.prisma.pushedRequest.count({ where: { accountId } }) };
}

for (const [label, changes] of Object.entries({
  'another aud': { aud: 'https://other.example' },
  'the authorization endpoint as aud': { aud: `${issuer}/v1/oauth/authorize` },
  'another iss': { iss: 'another' },
  'another sub': { sub: 'another' },
  'iat and nbf more than a minute in the future': { iat: now + 65, nbf: now + 65, exp: now + 125 },
}))
  t.test(`rejects a pushed request whose assertion has ${label}, and stores nothing`, async (t) => {
    const { response, stored } = await pushSigned(changes);
    expectOAuthError(t, response, 'invalid_client');
    t.equal(stored, 0);
  });

t.test('accepts a pushed request whose assertion has iat and nbf eight seconds in the future', async (t) => {
  const { response } = await pushSigned({ iat: now + 8, nbf: now + 8, exp: now + 68 });
  t.equal(response.statusCode, 201, response.body);
});

t.test('accepts a list as aud of an assertion only if each value is one of this server', async (t) => {
  for (const aud of [[issuer], [issuer, `${issuer}${endpoint}`]])
    t.equal((await pushSigned({ aud })).response.statusCode, 201);
  for (const aud of [[], [`${issuer}/`], [issuer, 'https://other.example']]) {
    const { response, stored } = await pushSigned({ aud });
    expectOAuthError(t, response, 'invalid_client');
    t.equal(stored, 0);
  }
});

/** The error of the exchange of a code of a pushed request. */
async function exchange(t: Test, verifier: Record<string, string>) {
  const scene = await createScene(database);
  const { parameters, verifier: right } = authorizationRequest(scene);
  const { request_uri } = (await api.postForm(endpoint, parameters)).json();
  const url = authorizeUrl({ client_id: scene.application.clientId, request_uri });
  const browser = await signedInBrowser(api, scene.user);
  const decided = await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  const form = {
    grant_type: 'authorization_code',
    client_id: scene.application.clientId,
    redirect_uri: scene.redirectUri,
    code: responseParameters(t, decided, scene.redirectUri).get('code') ?? '',
  };
  const rejected = await api.postForm('/v1/oauth/token', { ...form, ...verifier });
  return { rejected, accepted: () => api.postForm('/v1/oauth/token', { ...form, code_verifier: right }) };
}

t.test('the code of a pushed request needs its verifier, and a rejection does not consume it', async (t) => {
  const missing = await exchange(t, {});
  expectOAuthError(t, missing.rejected, 'invalid_request', { parameter: 'code_verifier' });
  t.equal((await missing.accepted()).statusCode, 200);
  expectOAuthError(t, (await exchange(t, { code_verifier: 'a'.repeat(43) })).rejected, 'invalid_grant');
});

t.test('a request object in a pushed request never replaces its parameters', async (t) => {
  const scene = await createScene(database);
  const { parameters } = authorizationRequest(scene);
  const claims = { ...parameters, scope: 'user:read', request_uri: 'urn:x', aud: `${issuer}${endpoint}` };
  const request = await new SignJWT(claims).setProtectedHeader({ alg: 'ES256' }).sign(privateKey);
  const alone = await api.postForm(endpoint, { client_id: scene.application.clientId, request });
  expectOAuthError(t, alone, 'invalid_request', { parameter: 'redirect_uri' });
  t.equal((await api.postForm(endpoint, { ...parameters, request })).statusCode, 201);
  const rows = await database.prisma.pushedRequest.findMany({ where: { accountId: scene.accountId } });
  t.same(
    rows.map((row) => row.parameters),
    [parameters],
  );
});

t.test('prompt=none returns a state of 128 characters unchanged', async (t) => {
  const scene = await createScene(database, { scopes: ['openid'] });
  const state = 'aZ09-._~'.repeat(16);
  const { url } = authorizationRequest(scene, { scope: 'openid', prompt: 'none', state });
  const answer = responseParameters(t, await new Browser(app).open(url), scene.redirectUri);
  t.match(Object.fromEntries(answer), { error: 'login_required', state });
});

t.test('id_token_hint is ignored: prompt=none never signs a user in with it', async (t) => {
  const scene = await createScene(database, { scopes: ['openid'] });
  for (const id_token_hint of ['x', 'eyJhbGciOiJub25lIn0.e30.']) {
    const { url } = authorizationRequest(scene, { scope: 'openid', prompt: 'none', id_token_hint });
    for (const [browser, error] of [
      [new Browser(app), 'login_required'],
      [await signedInBrowser(api, scene.user), 'consent_required'],
    ] as const) {
      const answer = responseParameters(t, await browser.open(url), scene.redirectUri);
      t.equal(answer.get('error'), error);
      t.notOk(answer.has('code'));
    }
  }
});

t.test('max_age=15000 and then 10000 need one sign-in', async (t) => {
  const scene = await createScene(database, { scopes: ['openid'] });
  const browser = await signedInBrowser(api, scene.user);
  for (const max_age of ['15000', '10000'])
    t.equal(
      (await browser.open(authorizationRequest(scene, { scope: 'openid', max_age }).url)).statusCode,
      200,
    );
});
