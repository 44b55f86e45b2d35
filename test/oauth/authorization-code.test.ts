import { createHash, randomBytes } from 'node:crypto';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { randomId } from '../../src/platform/database/ids.js';
import {
  createScene,
  createUser,
  expectOAuthError,
  expectTokenRejected,
  grantCode,
  hashOf,
  refresh,
  tokenAccepted,
  tokensOf,
} from '../support/oauth/users.js';
import { createApplication } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const exchange = (form: Record<string, string>, headers: Record<string, string> = {}) =>
  api.postForm('/v1/oauth/token', form, headers);

const codeRow = (code: string) =>
  database.prisma.authorizationCode.findUniqueOrThrow({ where: { codeHash: hashOf(code) } });
const eventsOf = (applicationId: string, type: string) =>
  database.prisma.auditEvent.findMany({ where: { applicationId, type } });
const grantsOf = (applicationId: string) => database.prisma.grant.findMany({ where: { applicationId } });

/** A form without one of its members. */
function without(form: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(form).filter(([key]) => key !== name));
}

t.test('issues tokens to a public client with the right S256 verifier', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene, { scope: 'user:read reports:read' });
  const response = await exchange(form);
  t.equal(response.statusCode, 200);
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8');
  t.equal(response.headers['cache-control'], 'no-store');
  const body = response.json();
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'refresh_token', 'scope', 'token_type']);
  t.equal(body.token_type, 'Bearer');
  t.equal(body.expires_in, 3600);
  t.same(body.scope.split(' ').sort(), ['reports:read', 'user:read']);
  t.match(decodeProtectedHeader(body.access_token), { alg: 'ES256', typ: 'at+jwt', kid: /.+/ });
  const now = Math.floor(clock().getTime() / 1000);
  t.match(decodeJwt(body.access_token), {
    iss: 'http://api.test',
    aud: 'http://api.test',
    sub: scene.user.id,
    client_id: scene.application.clientId,
    scope: body.scope,
    iat: now,
    exp: now + 3600,
    jti: /.+/,
  });
  await tokenAccepted(t, api, body.access_token);
});

t.test('stores codes and refresh tokens as hashes only', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  const { refreshToken } = tokensOf(await exchange(form));
  const { grantId, ...row } = await codeRow(code);
  const tokens = await database.prisma.refreshToken.findMany({ where: { grantId: grantId ?? '' } });
  const stored = JSON.stringify([row, ...tokens]);
  t.notOk(stored.includes(code));
  t.notOk(stored.includes(refreshToken));
  t.equal(row.codeHash.length, 32);
});

t.test('accepts a verifier of 43 and of 128 characters of the whole unreserved set', async (t) => {
  const scene = await createScene(database);
  const verifiers = [`-._~${randomId(39)}`, `~_.-${randomId(124)}`];
  for (const verifier of verifiers) {
    const code_challenge = createHash('sha256').update(verifier).digest('base64url');
    const { form } = await grantCode(api, scene, { code_challenge });
    const response = await exchange({ ...form, code_verifier: verifier });
    t.equal(response.statusCode, 200, `${verifier.length} characters`);
  }
});

t.test('rejects the challenge itself as verifier', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  const before = await codeRow(code);
  for (const code_verifier of [before.codeChallenge, randomId(43)]) {
    expectOAuthError(t, await exchange({ ...form, code_verifier }), 'invalid_grant');
    t.same(await codeRow(code), before);
  }
  t.equal((await exchange(form)).statusCode, 200, 'the code is not consumed');
});

t.test('rejects each missing parameter with 400, and keeps the code valid', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  for (const parameter of ['code', 'redirect_uri', 'client_id', 'code_verifier', 'grant_type']) {
    const missing = await exchange(without(form, parameter));
    expectOAuthError(t, missing, 'invalid_request', { parameter, label: 'missing' });
    const empty = await exchange({ ...form, [parameter]: '' });
    expectOAuthError(t, empty, 'invalid_request', { parameter, label: 'empty' });
    const twice = await api.postForm('/v1/oauth/token', `${new URLSearchParams(form)}&${parameter}=x`);
    expectOAuthError(t, twice, 'invalid_request', { parameter, label: 'twice' });
  }
  t.equal((await exchange(form)).statusCode, 200);
});

t.test('rejects a malformed verifier with 400, and keeps the code valid', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const malformed = [
    'a'.repeat(42),
    'a'.repeat(129),
    `${'a'.repeat(43)} `,
    `${'a'.repeat(42)}+`,
    `${'a'.repeat(42)}=`,
    `${'a'.repeat(42)}é`,
    `${'a'.repeat(43)}\n`,
  ];
  for (const code_verifier of malformed) {
    const response = await exchange({ ...form, code_verifier });
    expectOAuthError(t, response, 'invalid_request', {
      parameter: 'code_verifier',
      label: JSON.stringify(code_verifier.slice(40)),
    });
  }
  t.equal((await exchange(form)).statusCode, 200);
});

t.test('rejects a redirect_uri other than that of the request, and changes nothing', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  // Another registered redirect URI is rejected as well.
  const registered = 'https://client.example/second';
  await database.prisma.application.updateMany({
    where: { id: scene.application.id },
    data: { redirectUris: [scene.redirectUri, registered] },
  });
  const before = await codeRow(code);
  const others = [
    registered,
    `${scene.redirectUri}/`,
    'https://CLIENT.example/callback',
    'https://evil.example/',
  ];
  for (const redirect_uri of others) {
    expectOAuthError(t, await exchange({ ...form, redirect_uri }), 'invalid_grant', { label: redirect_uri });
  }
  t.same(await codeRow(code), before);
  t.equal((await exchange(form)).statusCode, 200);
});

t.test(
  'rejects the code of another client of the same or another account, and changes nothing',
  async (t) => {
    const scene = await createScene(database);
    const { code, form } = await grantCode(api, scene);
    const before = await codeRow(code);
    const sibling = await createApplication(database, scene.accountId, {
      clientType: 'public',
      redirectUris: [scene.redirectUri],
    });
    const stranger = (await createScene(database)).application;
    for (const { clientId } of [sibling, stranger]) {
      expectOAuthError(t, await exchange({ ...form, client_id: clientId }), 'invalid_grant');
    }
    t.same(await codeRow(code), before);
    t.equal((await exchange(form)).statusCode, 200);
  },
);

t.test(
  'rejects an unknown client with 401 invalid_client and an unknown code with invalid_grant',
  async (t) => {
    const scene = await createScene(database);
    const { form } = await grantCode(api, scene);
    expectOAuthError(t, await exchange({ ...form, client_id: randomId() }), 'invalid_client');
    for (const code of [randomId(50), 'x', `${form.code}x`, String(form.code).toUpperCase()]) {
      expectOAuthError(t, await exchange({ ...form, code }), 'invalid_grant', { label: code });
    }
    t.equal((await exchange(form)).statusCode, 200);
  },
);

t.test('accepts a code until its last second, and rejects it from its expiry on', async (t) => {
  const scene = await createScene(database);
  const [inTime, tooLate] = [await grantCode(api, scene), await grantCode(api, scene)];
  clock.advanceSeconds(299);
  t.equal((await exchange(inTime.form)).statusCode, 200);
  clock.advanceSeconds(1);
  expectOAuthError(t, await exchange(tooLate.form), 'invalid_grant');
  t.equal((await codeRow(tooLate.code)).usedAt, null, 'it is not consumed');
  t.equal((await grantsOf(scene.application.id)).length, 1);
});

t.test('a confidential client may omit its secret, and one that is sent is checked', async (t) => {
  const scene = await createScene(database, { clientType: 'confidential' });
  const { clientId, clientSecret } = scene.application;
  const basic = (secret: string) => ({
    authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
  });
  const { form } = await grantCode(api, scene);
  expectOAuthError(t, await exchange({ ...form, client_secret: randomId(52) }), 'invalid_client');
  const wrongBasic = await exchange(without(form, 'client_id'), basic(randomId(52)));
  expectOAuthError(t, wrongBasic, 'invalid_client');
  t.match(wrongBasic.headers['www-authenticate'], /^Basic realm="/);
  t.equal((await exchange(form)).statusCode, 200, 'omitted');

  const second = await grantCode(api, scene);
  t.equal((await exchange({ ...second.form, client_secret: clientSecret })).statusCode, 200, 'in the form');
  const third = await grantCode(api, scene);
  const byBasic = await exchange(without(third.form, 'client_id'), basic(clientSecret));
  t.equal(byBasic.statusCode, 200, 'by Basic');
});

t.test('rejects a secret of a public client', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  expectOAuthError(t, await exchange({ ...form, client_secret: randomId(52) }), 'invalid_client');
  t.equal((await exchange(form)).statusCode, 200);
});

t.test('a replay within the leeway is rejected and revokes nothing', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const { accessToken, refreshToken } = tokensOf(await exchange(form));
  for (const seconds of [0, 9, 1]) {
    clock.advanceSeconds(seconds);
    expectOAuthError(t, await exchange(form), 'invalid_grant');
  }
  await tokenAccepted(t, api, accessToken);
  t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
  t.same(await eventsOf(scene.application.id, 'authorization_code.replayed'), []);
});

t.test(
  'a replay after the leeway with the right verifier revokes the whole grant and is audited',
  async (t) => {
    const scene = await createScene(database);
    const { form } = await grantCode(api, scene);
    const first = tokensOf(await exchange(form));
    const second = tokensOf(await refresh(api, scene.application, first.refreshToken));
    clock.advanceSeconds(11);
    const replay = await exchange(form);
    expectOAuthError(t, replay, 'invalid_grant');
    await expectTokenRejected(t, api, first.accessToken, 'invalid_token');
    await expectTokenRejected(t, api, second.accessToken, 'invalid_token');
    expectOAuthError(t, await refresh(api, scene.application, second.refreshToken), 'invalid_grant');
    const [grant, ...more] = await grantsOf(scene.application.id);
    t.same(more, []);
    t.same(grant?.revokedAt, clock());
    const events = await eventsOf(scene.application.id, 'authorization_code.replayed');
    t.match(events, [
      {
        accountId: scene.accountId,
        userId: scene.user.id,
        requestId: replay.headers['x-request-id'],
        createdAt: clock(),
      },
    ]);
  },
);

t.test('a replay a millisecond after the leeway revokes the grant', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const { accessToken } = tokensOf(await exchange(form));
  clock.advanceSeconds(10.001);
  expectOAuthError(t, await exchange(form), 'invalid_grant');
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
});

t.test('a replay after the leeway revokes the grant of an expired code', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const { accessToken } = tokensOf(await exchange(form));
  clock.advanceSeconds(3000);
  expectOAuthError(t, await exchange(form), 'invalid_grant');
  await expectTokenRejected(t, api, accessToken, 'invalid_token');
});

t.test(
  'a replay after the leeway with a wrong verifier, or by another client, revokes nothing',
  async (t) => {
    const scene = await createScene(database);
    const stranger = (await createScene(database)).application;
    const sibling = await createApplication(database, scene.accountId, { clientType: 'public' });
    const { form } = await grantCode(api, scene);
    const { accessToken, refreshToken } = tokensOf(await exchange(form));
    clock.advanceSeconds(60);
    expectOAuthError(t, await exchange({ ...form, code_verifier: randomId(43) }), 'invalid_grant');
    for (const { clientId } of [stranger, sibling]) {
      expectOAuthError(t, await exchange({ ...form, client_id: clientId }), 'invalid_grant');
    }
    await tokenAccepted(t, api, accessToken);
    t.equal((await refresh(api, scene.application, refreshToken)).statusCode, 200);
    t.same(await eventsOf(scene.application.id, 'authorization_code.replayed'), []);
  },
);

t.test('rejects the code of a user who was disabled since, and does not consume it', async (t) => {
  const scene = await createScene(database);
  const { code, form } = await grantCode(api, scene);
  await database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { disabledAt: clock() } });
  expectOAuthError(t, await exchange(form), 'invalid_grant');
  t.equal((await codeRow(code)).usedAt, null);
  t.same(await grantsOf(scene.application.id), []);
});

t.test(
  'rejects the tokens of a disabled user, and accepts them again when the user is enabled',
  async (t) => {
    const scene = await createScene(database);
    const { form } = await grantCode(api, scene);
    const { accessToken } = tokensOf(await exchange(form));
    await tokenAccepted(t, api, accessToken);
    const disable = (disabledAt: Date | null) =>
      database.prisma.user.updateMany({ where: { id: scene.user.id }, data: { disabledAt } });
    await disable(clock());
    await expectTokenRejected(t, api, accessToken, 'invalid_token');
    await disable(null);
    await tokenAccepted(t, api, accessToken);
  },
);

t.test('a correct verifier succeeds among concurrent wrong ones', async (t) => {
  const scene = await createScene(database);
  const { form } = await grantCode(api, scene);
  const wrong = () => exchange({ ...form, code_verifier: randomBytes(32).toString('base64url') });
  const [, , right, ...rest] = await Promise.all([wrong(), wrong(), exchange(form), wrong(), wrong()]);
  t.equal(right.statusCode, 200);
  for (const response of rest) expectOAuthError(t, response, 'invalid_grant');
});

t.test('issues each user of an account tokens for that user', async (t) => {
  const scene = await createScene(database);
  const colleague = await createUser(database, scene.accountId, { role: 'admin' });
  const [one, other] = await Promise.all(
    [scene, { ...scene, user: colleague }].map(async (each) => {
      const { form } = await grantCode(api, each);
      return tokensOf(await exchange(form));
    }),
  );
  t.equal(decodeJwt(one?.accessToken ?? '').sub, scene.user.id);
  t.equal(decodeJwt(other?.accessToken ?? '').sub, colleague.id);
});
