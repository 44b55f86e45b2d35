import { decodeJwt, decodeProtectedHeader } from 'jose';
import { hiddenFields } from '../../support/browser/browser.js';
import { responseParameters } from '../../support/oauth/authorize-responses.js';
import {
  authorizationRequest,
  createScene,
  expectOAuthError,
  grantCode,
  grantTokens,
  refresh,
  type Scene,
  signedInBrowser,
  tokensOf,
} from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t, { type Test } from '../../support/tap.js';

// The cases of the basic OpenID provider profile in the conformance suite of the OpenID Foundation that other files of test/oauth do
// not have. Those of prompt, max_age, id_token_hint, request objects and logout are elsewhere.

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const tokenEndpoint = '/v1/oauth/token';

/** Allows a request with these parameters, and returns the response to the exchange of its code. */
async function signIn(t: Test, scene: Scene, changes: Record<string, string> = {}) {
  const { url, parameters, verifier } = authorizationRequest(scene, { scope: 'openid', ...changes });
  const browser = await signedInBrowser(api, scene.user);
  const page = await browser.open(url);
  t.equal(page.statusCode, 200);
  const decided = await browser.submit(url, { ...hiddenFields(page.body), decision: 'allow' });
  const response = responseParameters(t, decided, scene.redirectUri);
  t.equal(response.get('state'), parameters.state);
  return api.postForm(tokenEndpoint, {
    grant_type: 'authorization_code',
    client_id: scene.application.clientId,
    redirect_uri: scene.redirectUri,
    code: response.get('code') ?? '',
    code_verifier: verifier,
  });
}

for (const [name, value] of Object.entries({
  display: 'page popup',
  ui_locales: 'se',
  claims_locales: 'se',
  acr_values: '1 2',
  extra: 'foobar',
  response_mode: 'query',
}))
  t.test(`a request with the parameter ${name} signs the user in`, async (t) => {
    const scene = await createScene(api.database);
    for (const each of value.split(' ')) {
      const tokens = await signIn(t, scene, { [name]: each, nonce: 'n' });
      t.match(decodeJwt(tokens.json().id_token), { sub: scene.user.id, nonce: 'n' });
    }
  });

t.test('a nonce of 64 and of 1,024 characters is returned unchanged', async (t) => {
  const scene = await createScene(api.database);
  for (const length of [64, 1024]) {
    const nonce = 'x'.repeat(length);
    t.equal(decodeJwt((await signIn(t, scene, { nonce })).json().id_token).nonce, nonce);
  }
});

t.test('the order of scopes does not matter', async (t) => {
  const scene = await createScene(api.database);
  const { scope } = tokensOf(await signIn(t, scene, { scope: 'email openid profile' }));
  t.same(scope.split(' ').sort(), ['email', 'openid', 'profile']);
});

t.test('the ID token names its published key by kid, and is never unsecured', async (t) => {
  const tokens = await signIn(t, await createScene(api.database));
  const { kid, alg } = decodeProtectedHeader(tokens.json().id_token);
  const { keys } = (await api.app.inject('/.well-known/jwks.json')).json();
  t.equal(keys.filter((key: { kid: string; alg: string }) => key.kid === kid && key.alg === alg).length, 1);
  for (const key of keys) t.notOk('d' in key, 'the published keys are public');
  const { id_token_signing_alg_values_supported: algorithms } = (
    await api.app.inject('/.well-known/openid-configuration')
  ).json();
  t.notOk(algorithms.includes('none'));
});

t.test('a scope that the server does not know is invalid_scope at the redirect URI', async (t) => {
  const scene = await createScene(api.database);
  const browser = await signedInBrowser(api, scene.user);
  for (const scope of ['openid address', 'openid offline_access']) {
    const response = await browser.open(authorizationRequest(scene, { scope }).url);
    const parameters = responseParameters(t, response, scene.redirectUri);
    t.equal(parameters.get('error'), 'invalid_scope', scope);
    t.notOk(parameters.has('code'));
  }
});

t.test('other response types, also hybrid ones, are 400 and do not redirect', async (t) => {
  const scene = await createScene(api.database);
  const browser = await signedInBrowser(api, scene.user);
  for (const response_type of [
    'token',
    'id_token',
    'id_token token',
    'code id_token',
    'code token',
    'code id_token token',
    'none',
    'CODE',
    'code code',
  ]) {
    const response = await browser.open(authorizationRequest(scene, { response_type, nonce: 'n' }).url);
    t.equal(response.statusCode, 400, response_type);
    t.notOk('location' in response.headers, response_type);
  }
});

t.test('code_challenge_method plain and a missing challenge are 400 and do not redirect', async (t) => {
  const scene = await createScene(api.database);
  const browser = await signedInBrowser(api, scene.user);
  const { parameters } = authorizationRequest(scene);
  const { code_challenge: _, ...without } = parameters;
  const { code_challenge_method: __, ...defaulted } = parameters;
  for (const query of [{ ...parameters, code_challenge_method: 'plain' }, without, defaulted]) {
    const response = await browser.open(`/v1/oauth/authorize?${new URLSearchParams(query)}`);
    t.equal(response.statusCode, 400);
    t.notOk('location' in response.headers);
  }
});

t.test('the UserInfo endpoint rejects a token in the body, and in the query', async (t) => {
  const { accessToken } = await grantTokens(api, await createScene(api.database), { scope: 'openid' });
  const body = await api.injectUnchecked({
    method: 'POST',
    url: '/v1/oauth/userinfo',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    payload: `access_token=${accessToken}`,
  });
  t.equal(body.statusCode, 401);
  const query = await api.injectUnchecked({ url: `/v1/oauth/userinfo?access_token=${accessToken}` });
  t.equal(query.statusCode, 401);
});

t.test('a code that is used again in the same second is invalid_grant, and keeps the tokens', async (t) => {
  const scene = await createScene(api.database);
  const { form } = await grantCode(api, scene, { scope: 'openid' });
  const { accessToken } = tokensOf(await api.postForm(tokenEndpoint, form));
  expectOAuthError(t, await api.postForm(tokenEndpoint, form), 'invalid_grant');
  const bearer = { authorization: `Bearer ${accessToken}` };
  t.equal((await api.app.inject({ url: '/v1/oauth/userinfo', headers: bearer })).statusCode, 200);
});

t.test(
  'a code that is used again after 30 seconds is invalid_grant, and revokes all its tokens',
  async (t) => {
    const scene = await createScene(api.database);
    const { form } = await grantCode(api, scene, { scope: 'openid' });
    const { accessToken, refreshToken } = tokensOf(await api.postForm(tokenEndpoint, form));
    api.clock.advanceSeconds(30);
    expectOAuthError(t, await api.postForm(tokenEndpoint, form), 'invalid_grant');
    const bearer = { authorization: `Bearer ${accessToken}` };
    t.equal((await api.app.inject({ url: '/v1/oauth/userinfo', headers: bearer })).statusCode, 401);
    expectOAuthError(t, await refresh(api, scene.application, refreshToken), 'invalid_grant');
  },
);

t.test('a refresh token works for its client only, and its ID token is for the same user', async (t) => {
  const [scene, other] = [await createScene(api.database), await createScene(api.database)];
  const tokens = await signIn(t, scene);
  const { refresh_token, id_token } = tokens.json();
  expectOAuthError(t, await refresh(api, other.application, refresh_token), 'invalid_grant');
  const refreshed = await refresh(api, scene.application, refresh_token);
  const [first, second] = [decodeJwt(id_token), decodeJwt(refreshed.json().id_token)];
  t.same([second.iss, second.sub, second.aud, second.azp], [first.iss, first.sub, first.aud, first.azp]);
});
