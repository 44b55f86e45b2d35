import { decodeJwt } from 'jose';
import { absoluteSeconds, idleSeconds } from '../../src/platform/accounts/sessions.js';
import {
  authorizationRequest,
  createScene,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  grantTokens,
  refresh,
  signedInBrowser,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { createTenant } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;

/** Whether a browser gets the consent page, and not a redirect to the sign-in page. */
async function isSignedIn(browser: Awaited<ReturnType<typeof signedInBrowser>>, url: string) {
  const { statusCode, headers } = await browser.open(url);
  if (statusCode === 200) return true;
  if (statusCode === 302 && String(headers.location).startsWith('/sign_in?')) return false;
  throw new Error(`${statusCode} ${headers.location}`);
}

t.test('an access token expires after 3600 seconds, for every grant type', async (t) => {
  const scene = await createScene(database);
  const { application } = await createTenant(database);
  const granted = await grantTokens(api, scene);
  const refreshed = tokensOf(await refresh(api, scene.application, granted.refreshToken));
  const own = await api.token(application);
  const tokens = [granted.accessToken, refreshed.accessToken, own];
  for (const token of tokens) {
    const { iat = 0, exp } = decodeJwt(token);
    t.equal(exp, iat + 3600);
    t.equal(iat, Math.floor(clock().getTime() / 1000));
  }
  clock.advanceSeconds(3599);
  for (const token of tokens) await tokenAccepted(t, api, token);
  clock.advanceSeconds(1);
  for (const token of tokens) await expectTokenRejected(t, api, token, 'token_expired');
});

t.test('an expired token gets token_expired, whether or not it was used before', async (t) => {
  const scene = await createScene(database);
  const { accessToken } = await grantTokens(api, scene);
  clock.advanceSeconds(3600);
  await expectTokenRejected(t, api, accessToken, 'token_expired');
  clock.advanceSeconds(365 * 86_400);
  await expectTokenRejected(t, api, accessToken, 'token_expired');
});

t.test('a refresh token expires 30 days after its own rotation', async (t) => {
  const scene = await createScene(database);
  const first = await grantTokens(api, scene);
  clock.advanceSeconds(30 * 86_400 - 1);
  const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
  clock.advanceSeconds(30 * 86_400 - 1);
  const third = tokensOf(await refresh(api, scene.application, second.refreshToken));
  clock.advanceSeconds(30 * 86_400);
  expectOAuthError(t, await refresh(api, scene.application, third.refreshToken), 'invalid_grant');
});

t.test('a session expires after two hours without use', async (t) => {
  t.equal(idleSeconds, 7200);
  const scene = await createScene(database);
  const { url } = authorizationRequest(scene);
  const [used, unused] = [await signedInBrowser(api, scene.user), await signedInBrowser(api, scene.user)];
  clock.advanceSeconds(idleSeconds - 1);
  t.ok(await isSignedIn(used, url), 'in the last second of its validity');
  clock.advanceSeconds(1);
  t.notOk(await isSignedIn(unused, url), 'after the time limit');
  clock.advanceSeconds(idleSeconds - 2);
  t.ok(await isSignedIn(used, url), 'use extended it by two hours');
  clock.advanceSeconds(idleSeconds);
  t.notOk(await isSignedIn(used, url));
});

t.test('a session expires a day after its start, however often it is used', async (t) => {
  t.equal(absoluteSeconds, 86_400);
  const scene = await createScene(database);
  const { url } = authorizationRequest(scene);
  const browser = await signedInBrowser(api, scene.user);
  for (let hour = 1; hour < 24; hour += 1) {
    clock.advanceSeconds(3600);
    t.ok(await isSignedIn(browser, url), `hour ${hour}`);
  }
  clock.advanceSeconds(3599);
  t.ok(await isSignedIn(browser, url), 'in the last second of its validity');
  clock.advanceSeconds(1);
  t.notOk(await isSignedIn(browser, url));
});

t.test('lifetimes are configurable', async (t) => {
  const short = await buildTestApp(t, {
    database,
    environment: {
      ACCESS_TOKEN_TTL: '60',
      REFRESH_TOKEN_TTL: '120',
      AUTHORIZATION_CODE_TTL: '10',
      REPLAY_LEEWAY: '0',
    },
  });
  const scene = await createScene(database);
  const [early, late] = [await grantCode(short, scene), await grantCode(short, scene)];
  const browser = await signedInBrowser(short, scene.user);
  const { url } = authorizationRequest(scene);
  await browser.submitForm(await browser.open(url), url, { decision: 'allow' });
  const codes = await database.prisma.authorizationCode.findMany({ where: { userId: scene.user.id } });
  for (const { createdAt, expiresAt } of codes) t.equal(expiresAt.getTime() - createdAt.getTime(), 10_000);
  t.equal(codes.length, 3, 'with the code of the consent page');
  short.clock.advanceSeconds(9);
  const response = await short.postForm('/v1/oauth/token', early.form);
  const first = tokensOf(response);
  t.equal(response.json().expires_in, 60);
  const own = decodeJwt(await short.token((await createTenant(database)).application));
  t.equal(Number(own.exp) - Number(own.iat), 60, 'client credentials tokens too');
  short.clock.advanceSeconds(1);
  expectOAuthError(t, await short.postForm('/v1/oauth/token', late.form), 'invalid_grant');
  short.clock.advanceSeconds(58);
  await tokenAccepted(t, short, first.accessToken);
  short.clock.advanceSeconds(1);
  await expectTokenRejected(t, short, first.accessToken, 'token_expired');
  short.clock.advanceSeconds(59);
  t.equal((await refresh(short, scene.application, first.refreshToken)).statusCode, 200);
  const { form } = await grantCode(short, scene);
  const replayed = tokensOf(await short.postForm('/v1/oauth/token', form));
  short.clock.advanceSeconds(1);
  expectOAuthError(t, await short.postForm('/v1/oauth/token', form), 'invalid_grant');
  await expectTokenRejected(t, short, replayed.accessToken, 'invalid_token');
});
