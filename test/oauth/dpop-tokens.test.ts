import { decodeJwt } from 'jose';
import { applicationsPath, expectRedirect, formOn } from '../support/browser/pages.js';
import { createSigner, dpopClient, proofRefused } from '../support/oauth/dpop.js';
import {
  authorizationRequest,
  createScene,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  hashOf,
  revoke,
  signedInBrowser,
  tokensOf,
} from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database } = api;

const newClient = async () => dpopClient(api, await createSigner());

const refreshForm = (clientId: string, refreshToken: string, changes: Record<string, string> = {}) => ({
  grant_type: 'refresh_token',
  client_id: clientId,
  refresh_token: refreshToken,
  ...changes,
});

t.test('client credentials with a proof issue a token that is bound to its key', async (t) => {
  const { application } = await createTenant(database);
  const client = await newClient();
  const { clientId: client_id, clientSecret: client_secret } = application;
  const form = { grant_type: 'client_credentials', client_id, client_secret };
  const response = await client.postForm(form);
  t.match(response.json(), { token_type: 'DPoP', expires_in: 3600 });
  t.same(decodeJwt(response.json().access_token).cnf, { jkt: client.signer.jkt });
  const bearer = await api.postForm('/v1/oauth/token', form);
  t.equal(bearer.json().token_type, 'Bearer');
  t.notOk('cnf' in decodeJwt(bearer.json().access_token));
});

t.test('a code and a refresh token of a public client issue bound tokens', async (t) => {
  const scene = await createScene(database);
  const client = await newClient();
  const { form } = await grantCode(api, scene);
  const issued = await client.postForm(form);
  t.equal(issued.json().token_type, 'DPoP');
  const tokens = tokensOf(issued);
  t.equal((await client.call(tokens.accessToken)).statusCode, 200);
  const refreshed = await client.postForm(refreshForm(scene.application.clientId, tokens.refreshToken));
  t.equal(refreshed.json().token_type, 'DPoP');
  t.equal((await client.call(tokensOf(refreshed).accessToken)).statusCode, 200);
  t.equal(decodeJwt(tokensOf(refreshed).accessToken).scope, tokens.scope);
});

t.test(
  'the refresh token of a public client needs a proof of its key, and a rejection does not consume it',
  async (t) => {
    const scene = await createScene(database);
    const client = await newClient();
    const thief = await newClient();
    const { clientId } = scene.application;
    const { form } = await grantCode(api, scene);
    let { refreshToken } = tokensOf(await client.postForm(form));
    for (const round of ['first token', 'its successor']) {
      const request = refreshForm(clientId, refreshToken);
      expectOAuthError(t, await api.postForm('/v1/oauth/token', request), 'invalid_grant', { label: round });
      expectOAuthError(t, await thief.postForm(request), 'invalid_grant', { label: round });
      ({ refreshToken } = tokensOf(await client.postForm(request)));
    }
    expectOAuthError(
      t,
      await thief.postForm(refreshForm(clientId, refreshToken, { scope: 'user:read' })),
      'invalid_grant',
    );
  },
);

t.test('a refresh token of a public client is bound from its first use with a proof', async (t) => {
  const scene = await createScene(database);
  const client = await newClient();
  const { clientId } = scene.application;
  const { form } = await grantCode(api, scene);
  const { refreshToken } = tokensOf(await api.postForm('/v1/oauth/token', form));
  const refreshed = await client.postForm(refreshForm(clientId, refreshToken));
  t.equal(refreshed.json().token_type, 'DPoP');
  const successor = refreshForm(clientId, tokensOf(refreshed).refreshToken);
  expectOAuthError(t, await api.postForm('/v1/oauth/token', successor), 'invalid_grant');
  t.equal((await client.postForm(successor)).statusCode, 200);
});

t.test(
  'the refresh token of a confidential client is bound to the client, which can change its key',
  async (t) => {
    const scene = await createScene(database, { clientType: 'confidential' });
    const { clientId, clientSecret: client_secret } = scene.application;
    const { form } = await grantCode(api, scene);
    const first = await newClient();
    const { refreshToken } = tokensOf(await first.postForm({ ...form, client_secret }));
    const second = await newClient();
    const refreshed = await second.postForm(refreshForm(clientId, refreshToken, { client_secret }));
    t.equal(refreshed.statusCode, 200, refreshed.body);
    t.equal((await second.call(tokensOf(refreshed).accessToken)).statusCode, 200);
    proofRefused(t, await first.call(tokensOf(refreshed).accessToken), 'invalid_dpop_proof');
    const other = await createScene(database, { clientType: 'confidential' });
    const stolen = refreshForm(other.application.clientId, tokensOf(refreshed).refreshToken, {
      client_secret: other.application.clientSecret,
    });
    expectOAuthError(t, await second.postForm(stolen), 'invalid_grant');
  },
);

t.test('reuse of a bound refresh token after its successor was used revokes the grant', async (t) => {
  const scene = await createScene(database);
  const client = await newClient();
  const { clientId } = scene.application;
  const { form } = await grantCode(api, scene);
  const first = tokensOf(await client.postForm(form));
  const second = tokensOf(await client.postForm(refreshForm(clientId, first.refreshToken)));
  const third = tokensOf(await client.postForm(refreshForm(clientId, second.refreshToken)));
  t.equal((await client.call(third.accessToken)).statusCode, 200);
  expectOAuthError(t, await client.postForm(refreshForm(clientId, first.refreshToken)), 'invalid_grant');
  for (const { accessToken } of [first, second, third])
    proofRefused(t, await client.call(accessToken), 'invalid_token');
});

t.test(
  'revoking a bound refresh token needs no proof and revokes the bound access tokens at once',
  async (t) => {
    const scene = await createScene(database);
    const client = await newClient();
    const { form } = await grantCode(api, scene);
    const tokens = tokensOf(await client.postForm(form));
    const second = await buildTestApp(t, { database });
    t.equal((await client.call(tokens.accessToken)).statusCode, 200);
    t.equal((await revoke(api, scene.application, tokens.refreshToken)).statusCode, 200);
    proofRefused(t, await client.call(tokens.accessToken), 'invalid_token');
    await expectTokenRejected(t, second, tokens.accessToken, 'invalid_token');
  },
);

t.test('dpop_jkt of the authorization request binds the code to the key', async (t) => {
  const scene = await createScene(database);
  const client = await newClient();
  const thief = await newClient();
  const { parameters, verifier, url } = authorizationRequest(scene, { dpop_jkt: client.signer.jkt });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(url);
  const response = await browser.submit(url, [...formOn(page), ['decision', 'allow']]);
  const code = new URL(String(response.headers.location)).searchParams.get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: scene.application.clientId,
    redirect_uri: parameters.redirect_uri ?? '',
    code,
    code_verifier: verifier,
  };
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
  expectOAuthError(t, await thief.postForm(form), 'invalid_grant');
  const issued = await client.postForm(form);
  t.equal(issued.statusCode, 200, issued.body);
  t.equal((await client.call(tokensOf(issued).accessToken)).statusCode, 200);
});

t.test('a malformed dpop_jkt is 400 and does not redirect', async (t) => {
  const scene = await createScene(database);
  for (const dpop_jkt of ['x', 'a'.repeat(42), 'a'.repeat(44), `${'a'.repeat(42)}=`]) {
    const { url } = authorizationRequest(scene, { dpop_jkt });
    const response = await api.get(url);
    t.equal(response.statusCode, 400, dpop_jkt);
    t.equal(response.json().errors[0].parameter, 'dpop_jkt');
  }
});

t.test('an invalid proof is 400 at the token endpoint, and issues and consumes nothing', async (t) => {
  const scene = await createScene(database);
  const client = await newClient();
  const { form } = await grantCode(api, scene);
  const first = await api.postForm('/v1/oauth/token', form, {
    dpop: await client.proof({ method: 'POST', url: '/v1/oauth/token' }),
  });
  expectOAuthError(t, first, 'use_dpop_nonce');
  t.ok(first.headers['dpop-nonce']);
  t.notOk('www-authenticate' in first.headers);
  const nonce = String(first.headers['dpop-nonce']);
  for (const claims of [
    { htm: 'GET' },
    { htu: 'http://api.test/v1/oauth/revoke' },
    { jti: undefined },
    { iat: undefined },
  ])
    expectOAuthError(t, await client.postForm(form, { claims, nonce }), 'invalid_dpop_proof');
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form, { dpop: 'x' }), 'invalid_dpop_proof');
  expectOAuthError(t, await client.postForm(form, { nonce: 'x' }), 'use_dpop_nonce');
  t.equal((await client.postForm(form)).statusCode, 200, 'the code is still usable');
});

t.test('an unknown client is rejected before the proof is read', async (t) => {
  const form = refreshForm('unknown', 'x');
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form, { dpop: 'x' }), 'invalid_client');
});

t.test('an application can require a proof for every token request', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { application } = scene;
  const { clientId: client_id, clientSecret: client_secret } = application;
  const client = await newClient();
  const { form: unbound } = await grantCode(api, scene);
  const { refreshToken } = tokensOf(await api.postForm('/v1/oauth/token', { ...unbound, client_secret }));
  await database.prisma.application.updateMany({
    where: { id: application.id },
    data: { requireProofOfPossession: true },
  });
  const { form: code } = await grantCode(api, scene);
  for (const form of [
    { grant_type: 'client_credentials', client_id, client_secret },
    { ...code, client_secret },
    refreshForm(client_id, refreshToken, { client_secret }),
  ]) {
    expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_dpop_proof', {
      label: String(form.grant_type),
    });
    const bound = await client.postForm(form);
    t.equal(bound.statusCode, 200, bound.body);
    t.equal(bound.json().token_type, 'DPoP');
  }
});

t.test('the setting is changed by its form, shown on the page, and audited', async (t) => {
  const scene = await createScene(database);
  const { id } = scene.application;
  const address = `${applicationsPath}/${id}`;
  const browser = await signedInBrowser(api, scene.user);
  const edit = await browser.open(`${address}/edit`);
  t.notMatch(edit.body, /<input[^>]*name="require_proof_of_possession"[^>]*checked/);
  const form = formOn(edit, { redirect_uris: [scene.redirectUri] });
  const changed = [...form, ['require_proof_of_possession', 'yes']];
  expectRedirect(t, await browser.submit(`${address}/edit`, changed), /notice/);
  const stored = await database.prisma.application.findFirstOrThrow({ where: { id } });
  t.equal(stored.requireProofOfPossession, true);
  t.match((await browser.open(`${address}/credentials`)).body, 'Required for every token request');
  const event = await database.prisma.auditEvent.findFirst({
    where: { accountId: scene.accountId, type: 'application.updated' },
  });
  t.match(event?.details, { require_proof_of_possession: 'no → yes' });
});

t.test('stores the thumbprint of a key, and neither the key nor a proof', async (t) => {
  const scene = await createScene(database);
  const client = await newClient();
  const { form } = await grantCode(api, scene);
  const { refreshToken } = tokensOf(await client.postForm(form));
  const stored = await database.prisma.refreshToken.findFirst({ where: { tokenHash: hashOf(refreshToken) } });
  t.equal(stored?.dpopJkt, client.signer.jkt);
});
