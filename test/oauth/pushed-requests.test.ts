import { randomUUID } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { operationOf } from '../../src/platform/contract/contract.js';
import { randomId } from '../../src/platform/database/ids.js';
import { Browser, hiddenFields } from '../support/browser/browser.js';
import { applicationsPath, expectRedirect, formOn } from '../support/browser/pages.js';
import { authorizeResponses, responseParameters } from '../support/oauth/authorize-responses.js';
import { useKeys } from '../support/oauth/client-keys.js';
import { createSigner, dpopClient } from '../support/oauth/dpop.js';
import { installedScene, publishedScene } from '../support/oauth/installations.js';
import {
  authorizationRequest,
  authorizeUrl,
  createScene,
  createUser,
  expectOAuthError,
  hashOf,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp, contract } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t, {
  environment: { RATE_LIMIT_FAILURES: '0', RATE_LIMIT_TOKEN: '0', RATE_LIMIT_API: '0' },
});
const { app, database, clock } = api;
const { codesOf, rejectedHere } = authorizeResponses(api);
const endpoint = '/v1/oauth/par';
const unusable =
  'request_uri is unknown, expired or already used, or was opened in another browser. Start again in the application.';

const push = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  api.postForm(endpoint, form, headers);

/** Pushes a request of a public client. */
async function pushed(scene: Scene, changes: Record<string, string> = {}) {
  const { parameters, verifier } = authorizationRequest(scene, changes);
  const response = await push(parameters);
  if (response.statusCode !== 201) throw new Error(response.body);
  const request_uri: string = response.json().request_uri;
  const url = authorizeUrl({ client_id: scene.application.clientId, request_uri });
  return { parameters, verifier, request_uri, url };
}

const decide = (browser: Browser, page: LightMyRequestResponse, url: string, decision = 'allow') =>
  browser.submitForm(page, url, { decision });

/** Exchanges the code of an authorization response. */
function exchange(
  t: Test,
  scene: Scene,
  { response, verifier }: { response: LightMyRequestResponse; verifier: string },
  more: Record<string, string> = {},
) {
  const code = responseParameters(t, response, scene.redirectUri).get('code') ?? '';
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: scene.redirectUri,
    client_id: scene.application.clientId,
    code_verifier: verifier,
    ...more,
  };
}

t.test('a public client pushes a request, and the user grants a code for it', async (t) => {
  const scene = await createScene(database);
  const { parameters, verifier } = authorizationRequest(scene, { nonce: 'n1' });
  const response = await push(parameters);
  t.equal(response.statusCode, 201);
  t.equal(response.headers['cache-control'], 'no-store');
  const { request_uri, ...rest } = response.json();
  t.match(request_uri, /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
  t.same(rest, { expires_in: 60 });
  const url = authorizeUrl({ client_id: scene.application.clientId, request_uri });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(url);
  t.equal(page.statusCode, 200);
  t.equal((await browser.open(url)).statusCode, 200, 'after a reload');
  const decided = await decide(browser, page, url);
  t.equal(decided.statusCode, 303);
  t.equal(responseParameters(t, decided, scene.redirectUri).get('state'), parameters.state);
  t.match(await codesOf(scene), [{ nonce: 'n1', scopes: ['reports:read', 'user:read'], dpopJkt: null }]);
  const tokens = await api.postForm('/v1/oauth/token', exchange(t, scene, { response: decided, verifier }));
  t.equal(tokens.statusCode, 200);
  t.equal(await database.prisma.pushedRequest.count({ where: { accountId: scene.accountId } }), 0);
});

t.test('stores the hash of the request_uri, and no credentials', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { clientSecret: client_secret } = scene.application;
  const { parameters } = authorizationRequest(scene);
  const response = await push({ ...parameters, client_secret, unknown: 'x' });
  t.equal(response.statusCode, 201);
  const rows = await database.prisma.pushedRequest.findMany({ where: { accountId: scene.accountId } });
  t.match(rows, [
    {
      applicationId: scene.application.id,
      requestUriHash: hashOf(response.json().request_uri),
      browserHash: null,
      expiresAt: new Date(clock().getTime() + 60_000),
    },
  ]);
  t.same(rows[0]?.parameters, parameters);
});

t.test('a confidential client authenticates in the form or with HTTP Basic, and must', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { clientId, clientSecret } = scene.application;
  const { parameters } = authorizationRequest(scene);
  const { client_id: _, ...withoutClient } = parameters;
  const basic = (secret: string) => ({ authorization: `Basic ${btoa(`${clientId}:${secret}`)}` });
  t.equal((await push({ ...parameters, client_secret: clientSecret })).statusCode, 201);
  const pushedWithBasic = await push(withoutClient, basic(clientSecret));
  t.equal(pushedWithBasic.statusCode, 201);
  const { request_uri } = pushedWithBasic.json();
  const browser = await signedInBrowser(api, scene.user);
  t.equal((await browser.open(authorizeUrl({ client_id: clientId, request_uri }))).statusCode, 200);
  expectOAuthError(t, await push({ ...parameters, client_secret: 'wrong' }), 'invalid_client');
  const wrong = await push(withoutClient, basic('wrong'));
  expectOAuthError(t, wrong, 'invalid_client');
  t.match(wrong.headers['www-authenticate'], /^Basic/);
  const missing = await push(parameters);
  expectOAuthError(t, missing, 'invalid_request');
  t.match(missing.json().errors, [{ parameter: 'client_secret' }]);
  expectOAuthError(t, await push({ ...parameters, client_id: 'unknown' }), 'invalid_client');
  t.match((await push(withoutClient)).json().errors, [{ parameter: 'client_id' }]);
});

t.test('a client with keys pushes with an assertion for any of the three audiences', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { clientId } = scene.application;
  const { publicKey, privateKey } = await generateKeyPair('ES256');
  await useKeys(database, scene.application, [await exportJWK(publicKey)]);
  const now = Math.floor(clock().getTime() / 1000);
  const { parameters } = authorizationRequest(scene);
  const withAssertion = async (aud: string) => ({
    ...parameters,
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await new SignJWT({
      iss: clientId,
      sub: clientId,
      aud,
      jti: randomUUID(),
      exp: now + 60,
    })
      .setProtectedHeader({ alg: 'ES256' })
      .sign(privateKey),
  });
  for (const path of ['', '/v1/oauth/token', endpoint]) {
    const form = await withAssertion(`http://api.test${path}`);
    t.equal((await push(form)).statusCode, 201, path);
    expectOAuthError(t, await push(form), 'invalid_client', { label: 'again' });
  }
  expectOAuthError(t, await push(await withAssertion('https://other.example')), 'invalid_client');
  expectOAuthError(t, await push(parameters), 'invalid_client');
  for (const row of await database.prisma.pushedRequest.findMany({
    where: { applicationId: scene.application.id },
  }))
    t.same(row.parameters, parameters);
});

t.test('rejects what authorize rejects before the user signs in', async (t) => {
  const scene = await createScene(database, { scopes: ['user:read'] });
  const { parameters } = authorizationRequest(scene, { scope: 'user:read' });
  for (const name of Object.keys(parameters).filter((name) => name !== 'client_id')) {
    const { [name]: value = '', ...others } = parameters;
    const missing = await push(others);
    expectOAuthError(t, missing, 'invalid_request', { label: name });
    t.match(missing.json().errors, [{ parameter: name, code: 'required' }], name);
    const repeated = await app.inject({
      method: 'POST',
      url: endpoint,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: `${new URLSearchParams(parameters)}&${name}=${encodeURIComponent(value)}`,
    });
    expectOAuthError(t, repeated, 'invalid_request', { label: `${name} repeated` });
    t.match(repeated.json().errors, [{ parameter: name }], name);
  }
  for (const [name, value] of [
    ['response_type', 'token'],
    ['redirect_uri', 'https://client.example/other'],
    ['state', 'é'.repeat(1025)],
    ['state', 'x'.repeat(2049)],
    ['code_challenge', 'x'.repeat(42)],
    ['code_challenge_method', 'plain'],
    ['dpop_jkt', 'x'],
    ['request_uri', 'urn:ietf:params:oauth:request_uri:x'],
  ] as const) {
    const response = await push({ ...parameters, [name]: value });
    expectOAuthError(t, response, 'invalid_request', { label: name });
    t.match(response.json().errors, [{ parameter: name }], name);
  }
  for (const scope of ['user:read reports:read', 'unknown', ' '])
    expectOAuthError(t, await push({ ...parameters, scope }), 'invalid_scope', { label: scope });
  expectOAuthError(t, await push({ ...parameters, resource: 'https://other.example' }), 'invalid_target');
  const twice = `${new URLSearchParams(parameters)}&resource=http://api.test&resource=http://api.test`;
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  expectOAuthError(
    t,
    await app.inject({ method: 'POST', url: endpoint, headers, payload: twice }),
    'invalid_target',
  );
  const problem = await push({ ...parameters, scope: 'unknown' }, { accept: 'application/problem+json' });
  t.equal(problem.headers['content-type'], 'application/problem+json');
  t.equal(await database.prisma.pushedRequest.count({ where: { accountId: scene.accountId } }), 0);
});

t.test('rejects an application in development that its account forbids', async (t) => {
  const scene = await createScene(database);
  const { accountId, application } = scene;
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { inDevelopment: true },
  });
  await database.prisma.account.update({ where: { id: accountId }, data: { developmentAllowed: false } });
  expectOAuthError(t, await push(authorizationRequest(scene).parameters), 'unauthorized_client');
});

t.test('rejects an application that a metadata document describes', async (t) => {
  const scene = await createScene(database);
  const { parameters } = authorizationRequest(scene, { client_id: 'https://app.example/client' });
  expectOAuthError(t, await push(parameters), 'unauthorized_client');
});

t.test('accepts POST with a form of at most 64 KiB only', async (t) => {
  const scene = await createScene(database);
  const { parameters } = authorizationRequest(scene);
  const large = await push({ ...parameters, nonce: 'x'.repeat(65 * 1024) });
  t.equal(large.statusCode, 413);
  const payload = JSON.stringify(parameters);
  const json = await app.inject({
    method: 'POST',
    url: endpoint,
    headers: { 'content-type': 'application/json' },
    payload,
  });
  expectOAuthError(t, json, 'invalid_request');
  for (const method of ['GET', 'PUT', 'DELETE'] as const) {
    const response = await app.inject({ method, url: endpoint });
    t.equal(response.json().code, 'public-api-not-found', method);
  }
});

t.test('must be opened within 60 seconds, and then completed within 30 minutes', async (t) => {
  const scene = await createScene(database);
  const signedIn = () => signedInBrowser(api, scene.user);
  const late = await pushed(scene);
  const first = await pushed(scene);
  const browser = await signedIn();
  clock.advanceSeconds(59);
  t.equal((await browser.open(first.url)).statusCode, 200);
  clock.advanceSeconds(2);
  await rejectedHere(t, late.url, 400, 'invalid_request', {
    browser: await signedIn(),
    parameter: 'request_uri',
  });
  clock.advanceSeconds(1790);
  const page = await browser.open(first.url);
  t.equal(page.statusCode, 200, 'reloading does not extend it');
  clock.advanceSeconds(10);
  const decided = await decide(browser, page, first.url);
  t.equal(decided.statusCode, 400);
  t.match(decided.body, 'is unknown, expired or already used');
  t.same(await codesOf(scene), []);
});

t.test('the causes for which a request_uri cannot be used have the same response', async (t) => {
  const scene = await createScene(database);
  const other = await createScene(database);
  const [opened, denied, unopened] = [await pushed(scene), await pushed(scene), await pushed(scene)];
  const browser = await signedInBrowser(api, scene.user);
  t.equal((await browser.open(opened.url)).statusCode, 200);
  const denial = await decide(browser, await browser.open(denied.url), denied.url, 'deny');
  t.equal(responseParameters(t, denial, scene.redirectUri).get('error'), 'access_denied');
  const { clientId: client_id } = scene.application;
  const otherClient = { client_id: other.application.clientId, request_uri: unopened.request_uri };
  const secret = unopened.request_uri.slice(-43);
  for (const [cause, url] of [
    ['opened in another browser', opened.url],
    ['consumed', denied.url],
    ['of another client', authorizeUrl(otherClient)],
    ['of an unknown client', authorizeUrl({ ...otherClient, client_id: 'unknown' })],
    [
      'unknown',
      authorizeUrl({ client_id, request_uri: unopened.request_uri.replace(secret, 'x'.repeat(43)) }),
    ],
    ['malformed', authorizeUrl({ client_id, request_uri: 'https://client.example/request' })],
    ['NUL', authorizeUrl({ client_id, request_uri: '\u0000' })],
    ['repeated', `${unopened.url}&request_uri=${encodeURIComponent(unopened.request_uri)}`],
  ] as const) {
    const visitor = cause === 'consumed' ? browser : await signedInBrowser(api, scene.user);
    const { request_id: _, ...problem } = (await api.get(url)).json();
    t.match(problem, { status: 400, code: 'invalid_request', detail: unusable }, cause);
    await rejectedHere(t, url, 400, 'invalid_request', { browser: visitor, parameter: 'request_uri' });
    t.notOk(visitor.cookies.has('authorization_browser') && visitor !== browser, cause);
  }
  t.equal((await browser.open(unopened.url)).statusCode, 200, 'a rejection does not bind it');
  const missing = await api.get(`/v1/oauth/authorize?request_uri=${unopened.request_uri}`);
  t.match(missing.json().errors, [{ parameter: 'client_id', code: 'required' }]);
});

t.test(
  'other parameters of the query are ignored, and are not in the address after signing in',
  async (t) => {
    const scene = await createScene(database, { name: 'Travel Desk' });
    const { url } = await pushed(scene, { scope: 'user:read' });
    const browser = new Browser(app);
    const first = await browser.open(
      `${url}&scope=reports:write&redirect_uri=https://evil.example&redirect_uri=x&state=&dpop_jkt=x`,
    );
    t.equal(first.statusCode, 302);
    const signIn = String(first.headers.location);
    t.equal(new URL(signIn, 'http://api.test').searchParams.get('return_to'), url);
    const page = await browser.open(signIn);
    t.match(page.body, 'Travel Desk', 'the sign-in page');
    const { email, password } = scene.user;
    const signedIn = await browser.signIn(email, password, url);
    t.equal(signedIn.headers.location, url);
    const consent = await browser.open(url);
    t.equal(consent.statusCode, 200);
    t.notMatch(consent.body, 'reports:write');
    const decided = await decide(browser, consent, url);
    responseParameters(t, decided, scene.redirectUri);
    t.match(await codesOf(scene), [{ scopes: ['user:read'], dpopJkt: null }]);
  },
);

t.test('of concurrent first uses in several browsers exactly one succeeds', async (t) => {
  const scene = await createScene(database);
  const { url } = await pushed(scene);
  const browsers = await Promise.all(Array.from({ length: 20 }, () => signedInBrowser(api, scene.user)));
  const responses = await Promise.all(browsers.map((browser) => browser.open(url)));
  t.equal(responses.filter(({ statusCode }) => statusCode === 200).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 400).length, 19);
});

t.test('of 100 concurrent decisions exactly one consumes the request', async (t) => {
  for (const decision of ['allow', 'deny']) {
    const scene = await createScene(database);
    const { url } = await pushed(scene);
    const browser = await signedInBrowser(api, scene.user);
    const form = { ...hiddenFields((await browser.open(url)).body), decision };
    const responses = await Promise.all(Array.from({ length: 100 }, () => browser.submit(url, form)));
    t.equal(responses.filter(({ statusCode }) => statusCode === 303).length, 1, decision);
    t.equal(responses.filter(({ statusCode }) => statusCode === 400).length, 99, decision);
    t.equal((await codesOf(scene)).length, decision === 'allow' ? 1 : 0);
    const type = decision === 'allow' ? 'authorization_code.issued' : 'consent.denied';
    const where = { accountId: scene.accountId, type };
    t.equal(await database.prisma.auditEvent.count({ where }), 1);
  }
});

t.test('a rejected decision does not consume the request', async (t) => {
  const scene = await createScene(database);
  const { url } = await pushed(scene);
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(url);
  t.equal((await browser.submit(url, { ...hiddenFields(page.body), decision: 'x' })).statusCode, 400);
  t.equal((await browser.submit(url, { decision: 'allow' })).statusCode, 403);
  t.equal((await decide(browser, page, url)).statusCode, 303);
});

t.test('a redirect URI that is no longer registered is rejected after the request was pushed', async (t) => {
  const scene = await createScene(database);
  const { url } = await pushed(scene);
  const where = { id: scene.application.id };
  await database.prisma.application.updateMany({
    where,
    data: { redirectUris: ['https://client.example/new'] },
  });
  const browser = await signedInBrowser(api, scene.user);
  await rejectedHere(t, url, 400, 'invalid_request', { browser, parameter: 'redirect_uri' });
});

t.test('users of other accounts complete the request of a published application', async (t) => {
  const publisher = await publishedScene(api);
  const scene = await installedScene(api, publisher);
  const { url } = await pushed(publisher);
  const browser = await signedInBrowser(api, scene.user);
  const form = { ...hiddenFields((await browser.open(url)).body), decision: 'allow' };
  const responses = await Promise.all(Array.from({ length: 20 }, () => browser.submit(url, form)));
  t.equal(responses.filter(({ statusCode }) => statusCode === 303).length, 1);
  t.equal(responses.filter(({ statusCode }) => statusCode === 400).length, 19);
  const accounts = await database.prisma.authorizationCode.findMany({
    where: { accountId: { in: [scene.accountId, publisher.accountId] } },
  });
  t.match(accounts, [{ accountId: scene.accountId, userId: scene.user.id }]);
  t.equal(accounts.length, 1);
  const again = await pushed(publisher);
  const denied = await decide(browser, await browser.open(again.url), again.url, 'deny');
  t.equal(responseParameters(t, denied, publisher.redirectUri).get('error'), 'access_denied');
  t.equal((await browser.open(again.url)).statusCode, 400);
});

t.test('the page on which an account approves an application keeps the pushed request', async (t) => {
  const publisher = await publishedScene(api);
  const { accountId } = await createTenant(database);
  const browser = await signedInBrowser(api, await createUser(database, accountId));
  const { url } = await pushed(publisher, { scope: 'user:read' });
  const query = url.slice(url.indexOf('?'));
  const response = await browser.open(`${url}&scope=x`);
  t.equal(response.headers.location, `/approve_application${query}`);
  const page = await browser.open(`/approve_application${query}`);
  t.equal(page.statusCode, 200);
  const other = await signedInBrowser(api, await createUser(database, accountId));
  t.equal((await other.open(`/approve_application${query}`)).statusCode, 400, 'in another browser');
  const form = [...Object.entries(hiddenFields(page.body)), ['scopes', 'user:read']];
  const approved = await browser.submit(`/approve_application${query}`, form);
  t.equal(approved.headers.location, url);
  t.equal((await browser.open(url)).statusCode, 200);
});

t.test('deleting the application deletes its pushed requests', async (t) => {
  const scene = await createScene(database);
  await pushed(scene);
  const where = { accountId: scene.accountId };
  await database.prisma.application.deleteMany({ where });
  t.equal(await database.prisma.pushedRequest.count({ where }), 0);
});

t.test('a DPoP proof of the request binds the code to its key', async (t) => {
  const scene = await createScene(database);
  const client = dpopClient(api, await createSigner());
  const { parameters, verifier } = authorizationRequest(scene);
  const first = await push(parameters, { dpop: await client.proof({ method: 'POST', url: endpoint }) });
  expectOAuthError(t, first, 'use_dpop_nonce');
  const nonce = String(first.headers['dpop-nonce']);
  const proof = () => client.proof({ method: 'POST', url: endpoint, nonce });
  const other = (await createSigner()).jkt;
  expectOAuthError(
    t,
    await push({ ...parameters, dpop_jkt: other }, { dpop: await proof() }),
    'invalid_dpop_proof',
  );
  expectOAuthError(t, await push(parameters, { dpop: 'x' }), 'invalid_dpop_proof');
  const used = await proof();
  const response = await push({ ...parameters, dpop_jkt: client.signer.jkt }, { dpop: used });
  t.equal(response.statusCode, 201);
  expectOAuthError(t, await push(parameters, { dpop: used }), 'invalid_dpop_proof', { label: 'again' });
  const bound = await push(parameters, { dpop: await proof() });
  const url = authorizeUrl({ client_id: scene.application.clientId, request_uri: bound.json().request_uri });
  const browser = await signedInBrowser(api, scene.user);
  const decided = await decide(browser, await browser.open(url), url);
  t.match(await codesOf(scene), [{ dpopJkt: client.signer.jkt }]);
  const form = exchange(t, scene, { response: decided, verifier });
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
  t.equal((await client.postForm(form)).statusCode, 200);
});

t.test('an application can require pushed requests', async (t) => {
  const scene = await createScene(database);
  const { id } = scene.application;
  const address = `${applicationsPath}/${id}`;
  const browser = await signedInBrowser(api, scene.user);
  const edit = await browser.open(`${address}/edit`);
  t.notMatch(edit.body, /<input[^>]*name="require_pushed_requests"[^>]*checked/);
  const changed = [
    ...formOn(edit, { redirect_uris: [scene.redirectUri] }),
    ['require_pushed_requests', 'yes'],
  ];
  expectRedirect(t, await browser.submit(`${address}/edit`, changed), /notice/);
  t.match((await browser.open(`${address}/credentials`)).body, 'Required for every authorization request');
  const where = { accountId: scene.accountId, type: 'application.updated' };
  const event = await database.prisma.auditEvent.findFirst({ where });
  t.match(event?.details, { require_pushed_requests: 'no → yes' });

  const { url } = authorizationRequest(scene);
  for (const visitor of [browser, new Browser(app)])
    await rejectedHere(t, url, 400, 'invalid_request', { browser: visitor, parameter: 'request_uri' });
  t.match((await api.get(url)).json().errors, [{ parameter: 'request_uri', code: 'required' }]);
  t.equal((await browser.open((await pushed(scene)).url)).statusCode, 200);
});

t.test('the form has the parameters of authorize, with the same schemas', async (t) => {
  const { schemas } = contract.document.components;
  const { properties = {}, required } = schemas.PushedAuthorizationRequest ?? {};
  const { queryParameters } = operationOf(contract, 'authorize');
  const names: string[] = [];
  for (const [name, { schema, ...parameter }] of queryParameters) {
    if (name === 'request_uri' || name === 'client_id') continue;
    const { description: _, ...pushedSchema } = properties[name] ?? {};
    t.same(pushedSchema, schema, name);
    if (parameter['x-required-unless'] === 'request_uri') names.push(name);
  }
  t.same(names.toSorted(), [...(required as string[])].toSorted());
});

t.test('the metadata names the endpoint, and requires pushed requests of no client', async (t) => {
  for (const document of ['oauth-authorization-server', 'openid-configuration'])
    t.match((await api.get(`/.well-known/${document}`)).json(), {
      pushed_authorization_request_endpoint: `http://api.test${endpoint}`,
      require_pushed_authorization_requests: false,
    });
});

t.test('a request of an unknown client is counted as at the token endpoint', async (t) => {
  const limited = await buildTestApp(t, { database, environment: { RATE_LIMIT_TOKEN: '2' } });
  const scene = await createScene(database);
  const { parameters } = authorizationRequest(scene, { state: randomId() });
  for (const status of [201, 201, 429])
    t.equal((await limited.postForm(endpoint, parameters)).statusCode, status);
});

t.test('errors are problem documents for a client that accepts them', async (t) => {
  const scene = await createScene(database);
  const { parameters } = authorizationRequest(scene);
  const accept = 'application/problem+json';
  for (const [changes, status, code] of [
    [{ state: '' }, 400, 'invalid_request'],
    [{ client_id: 'unknown' }, 401, 'invalid_client'],
    [{ nonce: 'x'.repeat(65 * 1024) }, 413, 'payload_too_large'],
  ] as const) {
    const response = await push({ ...parameters, ...changes }, { accept });
    t.equal(response.statusCode, status);
    t.equal(response.headers['content-type'], accept);
    t.equal(response.json().code, code);
  }
});
