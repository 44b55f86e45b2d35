import { createHash } from 'node:crypto';
import { createLocalJWKSet, decodeJwt, decodeProtectedHeader, jwtVerify } from 'jose';
import { type Browser, hiddenFields } from '../support/browser/browser.js';
import {
  authorizationRequest,
  createScene,
  expectOAuthError,
  grantTokens,
  refresh,
  type Scene,
  signedInBrowser,
} from '../support/oauth/users.js';
import { createApplication, type TestApplication } from '../support/records/tenant.js';
import { addPasskey, codeAt, enterPassword, setUpApp, stepPath } from '../support/second-factor/steps.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { baseUrl } = api.config;
const scopes = ['openid', 'profile', 'email', 'phone', 'user:read', 'reports:read'];
const userInfo = '/v1/oauth/userinfo';

const idScene = (options: Parameters<typeof createScene>[1] = {}) =>
  createScene(api.database, { scopes, ...options });

/** Allows a request in a browser, and exchanges the code. */
async function signIn(scene: Scene, changes: Record<string, string> = {}, browser?: Browser) {
  const { url, parameters, verifier } = authorizationRequest(scene, { scope: 'openid', ...changes });
  const user = browser ?? (await signedInBrowser(api, scene.user));
  const page = await user.open(url);
  const response = await user.submit(url, { ...hiddenFields(page.body), decision: 'allow' });
  const code = new URL(String(response.headers.location)).searchParams.get('code') ?? '';
  const form = {
    grant_type: 'authorization_code',
    client_id: scene.application.clientId,
    redirect_uri: scene.redirectUri,
    code,
    code_verifier: verifier,
  };
  return { form, parameters, tokens: await api.postForm('/v1/oauth/token', form) };
}

const info = (token: string, method: 'GET' | 'POST' = 'GET') =>
  api.app.inject({ method, url: userInfo, headers: { authorization: `Bearer ${token}` } });

t.test(
  'an ID token is signed with the published key, and names the user, the application and the access token',
  async (t) => {
    const scene = await idScene();
    const { tokens } = await signIn(scene, { nonce: 'n-0S6_WzA2Mj ü' });
    t.equal(tokens.statusCode, 200);
    const { id_token: idToken, access_token: accessToken } = tokens.json();
    const keys = createLocalJWKSet((await api.app.inject('/.well-known/jwks.json')).json());
    const { payload, protectedHeader } = await jwtVerify(idToken, keys, {
      issuer: baseUrl,
      audience: scene.application.clientId,
      algorithms: ['ES256'],
      currentDate: api.clock(),
    });
    t.match(protectedHeader, { alg: 'ES256', typ: 'JWT' });
    const now = Math.floor(api.clock().getTime() / 1000);
    const { sid } = await api.database.prisma.session.findFirstOrThrow({ where: { userId: scene.user.id } });
    t.match(sid, /^[a-z0-9]{32}$/);
    t.same(payload, {
      iss: baseUrl,
      sub: scene.user.id,
      aud: scene.application.clientId,
      azp: scene.application.clientId,
      exp: now + 3600,
      iat: now,
      auth_time: now,
      nonce: 'n-0S6_WzA2Mj ü',
      acr: `${baseUrl}/acr/single_factor`,
      amr: ['pwd'],
      sid,
      at_hash: createHash('sha256').update(accessToken).digest().subarray(0, 16).toString('base64url'),
    });
  },
);

t.test(
  'without openid the token responses to a code and a refresh token have no other members than before',
  async (t) => {
    const scene = await idScene();
    const members = ['access_token', 'token_type', 'expires_in', 'scope', 'refresh_token'];
    const { tokens } = await signIn(scene, { scope: 'profile email user:read', nonce: 'n' });
    t.same(Object.keys(tokens.json()), members);
    const refreshed = await refresh(api, scene.application, tokens.json().refresh_token);
    t.same(Object.keys(refreshed.json()), members);
  },
);

t.test('a request without nonce has an ID token without nonce', async (t) => {
  const { tokens } = await signIn(await idScene());
  t.notOk('nonce' in decodeJwt(tokens.json().id_token));
});

t.test('an invalid nonce is 400 and does not redirect', async (t) => {
  const scene = await idScene();
  const browser = await signedInBrowser(api, scene.user);
  for (const nonce of ['\0', 'x'.repeat(1025)])
    t.equal(
      (await browser.open(authorizationRequest(scene, { scope: 'openid', nonce }).url)).statusCode,
      400,
    );
  const { url } = authorizationRequest(scene, { scope: 'openid', nonce: 'a' });
  t.equal((await browser.open(`${url}&nonce=b`)).statusCode, 400, 'sent twice');
});

t.test('a refresh has an ID token of the same sign-in without nonce', async (t) => {
  const scene = await idScene();
  const { tokens } = await signIn(scene, { nonce: 'once' });
  const first = decodeJwt(tokens.json().id_token);
  api.clock.advanceSeconds(3000);
  const refreshed = await refresh(api, scene.application, tokens.json().refresh_token);
  const second = decodeJwt(refreshed.json().id_token);
  const { nonce, iat, exp, at_hash, ...same } = first;
  t.match(second, same);
  t.equal(nonce, 'once');
  t.notOk('nonce' in second);
  t.equal(second.iat, (iat ?? 0) + 3000);
  t.equal(second.exp, (exp ?? 0) + 3000);
  t.not(second.at_hash, at_hash);
  const all = { scope: 'openid profile' };
  const { tokens: wider } = await signIn(scene, all);
  const narrowed = await refresh(api, scene.application, wider.json().refresh_token, { scope: 'profile' });
  t.equal(narrowed.statusCode, 200);
  t.notOk('id_token' in narrowed.json(), 'a refresh without openid has none');
});

t.test(
  'a code that is used again gets no ID token, and its tokens are revoked after the leeway',
  async (t) => {
    const scene = await idScene();
    const { form, tokens } = await signIn(scene, { nonce: 'n' });
    api.clock.advanceSeconds(11);
    expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_grant');
    t.equal((await info(tokens.json().access_token)).statusCode, 401);
  },
);

t.test('amr and acr say how the user has signed in', async (t) => {
  const claims = async (scene: Scene, browser: Browser) => {
    const { tokens } = await signIn(scene, {}, browser);
    const { amr, acr } = decodeJwt(tokens.json().id_token);
    return { amr, acr };
  };
  const acr = (name: string) => `${baseUrl}/acr/${name}`;

  const app = await idScene();
  const { secret } = await setUpApp(api, app.user);
  api.clock.advanceSeconds(60);
  const withApp = await enterPassword(api, app.user);
  await withApp.browser.submitForm(withApp.page, stepPath, { code: codeAt(api, secret) });
  t.same(await claims(app, withApp.browser), { amr: ['pwd', 'otp', 'mfa'], acr: acr('multi_factor') });

  const passkey = await idScene();
  const { browser } = await addPasskey(api, passkey.user);
  t.same(await claims(passkey, browser), { amr: ['pwd', 'pop', 'mfa'], acr: 'phr' });

  const sso = await idScene();
  const issuer = 'https://idp.example';
  await api.database.prisma.identityProvider.create({
    data: { accountId: sso.accountId, issuer, clientId: 'c', sealedSecret: 's' },
  });
  const atProvider = await signedInBrowser(api, sso.user, { issuer, secondFactor: true });
  t.same(await claims(sso, atProvider), { amr: ['fed'], acr: acr('single_sign_on') });
});

t.test(
  'a session of a version that did not store how the user signed in has neither amr, acr nor sid',
  async (t) => {
    const scene = await idScene();
    const browser = await signedInBrowser(api, scene.user);
    await api.database.prisma.session.updateMany({
      where: { userId: scene.user.id },
      data: { methods: [], sid: null },
    });
    const claims = decodeJwt((await signIn(scene, {}, browser)).tokens.json().id_token);
    t.notOk('amr' in claims);
    t.notOk('acr' in claims);
    t.notOk('sid' in claims);
    t.ok(claims.auth_time);
  },
);

t.test('sid is the same for all applications in a session, and another in each other session', async (t) => {
  const scene = await idScene();
  const other = await createApplication(api.database, scene.accountId, {
    clientType: 'public',
    redirectUris: [scene.redirectUri],
    scopes,
  });
  const sidIn = async (application: TestApplication, browser: Browser) => {
    const { tokens } = await signIn({ ...scene, application }, {}, browser);
    const { sid } = decodeJwt(tokens.json().id_token);
    const refreshed = await refresh(api, application, tokens.json().refresh_token);
    t.equal(decodeJwt(refreshed.json().id_token).sid, sid, 'also after a refresh');
    return sid;
  };
  const first = await signedInBrowser(api, scene.user);
  const second = await signedInBrowser(api, scene.user);
  const sid = await sidIn(scene.application, first);
  t.match(sid, /^[a-z0-9]{32}$/);
  t.equal(await sidIn(other, first), sid);
  t.equal(await sidIn(scene.application, first), sid);
  t.not(await sidIn(scene.application, second), sid);
});

t.test('an ID token is not an access token', async (t) => {
  const { tokens } = await signIn(await idScene(), { scope: 'openid user:read' });
  const { id_token: idToken } = tokens.json();
  t.not(decodeProtectedHeader(idToken).typ, 'at+jwt');
  for (const url of [userInfo, '/v1/users/me']) {
    const response = await api.app.inject({ url, headers: { authorization: `Bearer ${idToken}` } });
    t.equal(response.statusCode, 401);
    t.equal(response.json().code, 'invalid_token');
  }
});

t.test(
  'the UserInfo endpoint returns the claims of the scopes, without those that the user does not have',
  async (t) => {
    const scene = await idScene();
    const { id } = scene.user;
    const claimsFor = async (scope: string, method: 'GET' | 'POST' = 'GET') => {
      const response = await info((await grantTokens(api, scene, { scope })).accessToken, method);
      t.equal(response.statusCode, 200);
      t.equal(response.headers['cache-control'], 'no-store');
      return response.json();
    };
    t.same(await claimsFor('openid'), { sub: id });
    t.same(await claimsFor('openid user:read'), { sub: id }, 'user:read is for the API');
    t.same(Object.keys(await claimsFor('openid email')), ['sub', 'email', 'email_verified']);
    t.same(await claimsFor('openid phone'), { sub: id }, 'the user has no phone number');
    await api.database.prisma.user.updateMany({
      where: { id },
      data: { phoneNumber: '+41441234567', nickname: 'Ada' },
    });
    for (const method of ['GET', 'POST'] as const) {
      const claims = await claimsFor('openid profile phone', method);
      t.match(claims, {
        sub: id,
        nickname: 'Ada',
        phone_number: '+41441234567',
        phone_number_verified: false,
      });
      t.notOk('picture' in claims || 'email' in claims);
      t.type(claims.updated_at, 'number');
    }
  },
);

t.test('the UserInfo endpoint rejects a request without a valid token of a user with openid', async (t) => {
  const scene = await idScene();
  for (const method of ['GET', 'POST'] as const) {
    const none = await api.app.inject({ method, url: userInfo });
    t.equal(none.statusCode, 401);
    t.equal(none.headers['www-authenticate'], 'Bearer realm="People API"');
    const garbage = await info('garbage', method);
    t.match(garbage.headers['www-authenticate'], /error="invalid_token"/);
    const { accessToken } = await grantTokens(api, scene, { scope: 'profile user:read' });
    const lacking = await info(accessToken, method);
    t.equal(lacking.statusCode, 403);
    t.match(lacking.headers['www-authenticate'], /error="insufficient_scope", scope="openid"/);
  }
  const backend = await idScene({ clientType: 'confidential' });
  const withoutUser = await info(await api.token(backend.application, 'openid'));
  t.equal(withoutUser.statusCode, 403);
  t.equal(withoutUser.json().code, 'user_context_required');
  const { tokens } = await signIn(scene);
  const { access_token: token, refresh_token } = tokens.json();
  t.equal((await info(token)).statusCode, 200);
  await api.postForm('/v1/oauth/revoke', { token: refresh_token, client_id: scene.application.clientId });
  t.equal((await info(token)).statusCode, 401, 'after revocation');
});

t.test(
  'an application needs the scopes of OpenID Connect in its settings, and a member may grant them',
  async (t) => {
    const plain = await createScene(api.database, { scopes: ['user:read'] });
    const browser = await signedInBrowser(api, plain.user);
    const response = await browser.open(authorizationRequest(plain, { scope: 'openid user:read' }).url);
    const { searchParams } = new URL(String(response.headers.location));
    t.equal(searchParams.get('error'), 'invalid_scope');
    const member = await idScene({ role: 'member' });
    const { tokens } = await signIn(member, { scope: 'openid email reports:read' });
    t.equal(tokens.json().scope, 'openid email');
    t.ok(tokens.json().id_token);
  },
);

t.test('client credentials get no ID token', async (t) => {
  const { application } = await idScene({ clientType: 'confidential' });
  const { clientId: client_id, clientSecret: client_secret } = application;
  const form = { grant_type: 'client_credentials', client_id, client_secret: client_secret ?? '' };
  const response = await api.postForm('/v1/oauth/token', form);
  t.equal(response.statusCode, 200);
  t.notOk('id_token' in response.json());
});

t.test(
  'the configuration for clients of OpenID Connect is the metadata of the authorization server',
  async (t) => {
    const response = await api.app.inject('/.well-known/openid-configuration');
    t.equal(response.statusCode, 200);
    t.equal(response.headers['access-control-allow-origin'], '*');
    t.same(response.json(), (await api.app.inject('/.well-known/oauth-authorization-server')).json());
    t.match(response.json(), {
      issuer: baseUrl,
      userinfo_endpoint: `${baseUrl}${userInfo}`,
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
      request_parameter_supported: false,
      request_uri_parameter_supported: false,
      claims_parameter_supported: false,
    });
  },
);
