import { createScene, createUser, grantTokens } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const everything = { scope: 'reports:read user:read user:write' };

t.test('returns the claims of the user who allowed the application', async (t) => {
  const scene = await createScene(api.database);
  const updatedAt = new Date('2026-02-03T09:12:44.987Z');
  await api.database.prisma.user.updateMany({
    where: { id: scene.user.id },
    data: {
      emailVerified: true,
      nickname: 'Countess',
      picture: 'https://images.example/ada.png',
      locale: 'en-GB',
      zoneinfo: 'Europe/London',
      phoneNumber: '+442079460123',
      phoneNumberVerified: true,
      updatedAt,
    },
  });
  const { accessToken } = await grantTokens(api, scene, everything);

  const response = await api.get('/v1/users/me', accessToken);

  t.equal(response.statusCode, 200);
  t.same(response.json(), {
    data: {
      id: scene.user.id,
      type: 'users',
      attributes: {
        sub: scene.user.id,
        name: 'Ada Lovelace',
        given_name: 'Ada',
        family_name: 'Lovelace',
        nickname: 'Countess',
        picture: 'https://images.example/ada.png',
        locale: 'en-GB',
        zoneinfo: 'Europe/London',
        phone_number: '+442079460123',
        phone_number_verified: true,
        email: scene.user.email,
        email_verified: true,
        updated_at: 1770109964,
      },
    },
  });
  const { sub } = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
  t.equal(response.json().data.id, sub, 'the subject of the token');
});

t.test('returns null for an unknown claim', async (t) => {
  const { accessToken } = await grantTokens(api, await createScene(api.database), everything);
  const { attributes } = (await api.get('/v1/users/me', accessToken)).json().data;
  for (const claim of ['nickname', 'picture', 'locale', 'zoneinfo', 'phone_number']) {
    t.equal(attributes[claim], null, claim);
  }
});

t.test('every user reads the own profile only, in one account and in two', async (t) => {
  const scene = await createScene(api.database);
  const colleague = { ...scene, user: await createUser(api.database, scene.accountId, { role: 'member' }) };
  const stranger = await createScene(api.database);
  for (const each of [scene, colleague, stranger]) {
    const { accessToken } = await grantTokens(api, each, everything);
    const { id, attributes } = (await api.get('/v1/users/me', accessToken)).json().data;
    t.equal(id, each.user.id);
    t.equal(attributes.email, each.user.email);
  }
});

t.test('rejects the token of a disabled user with 401', async (t) => {
  const scene = await createScene(api.database);
  const { accessToken } = await grantTokens(api, scene, everything);
  await api.database.prisma.user.updateMany({
    where: { id: scene.user.id },
    data: { disabledAt: new Date() },
  });
  const response = await api.get('/v1/users/me', accessToken);
  t.equal(response.statusCode, 401);
  t.equal(response.json().code, 'invalid_token');
});

t.test('rejects a token without a user with 403, after its scopes are checked', async (t) => {
  const { application } = await createScene(api.database, { clientType: 'confidential' });
  const able = await api.get('/v1/users/me', await api.token(application, 'user:read'));
  t.equal(able.statusCode, 403);
  t.equal(able.json().code, 'user_context_required');
  t.equal(able.json().title, 'User Context Required');
  t.equal(able.headers['www-authenticate'], 'Bearer realm="People API"');

  const unable = await api.get('/v1/users/me', await api.token(application, 'reports:read'));
  t.equal(unable.json().code, 'insufficient_scope');
});

t.test(
  'If-None-Match with the current ETag gets 304 without a body, until the profile changes',
  async (t) => {
    const scene = await createScene(api.database);
    const { accessToken } = await grantTokens(api, scene, everything);
    const etag = String((await api.get('/v1/users/me', accessToken)).headers.etag);
    const known = await api.get('/v1/users/me', accessToken, { 'if-none-match': etag });
    t.equal(known.statusCode, 304);
    t.equal(known.body, '');
    t.equal(known.headers.etag, etag);
    t.equal((await api.get('/v1/users/me', accessToken, { 'if-none-match': 'nothing' })).statusCode, 400);
    await api.database.prisma.user.updateMany({
      where: { id: scene.user.id },
      data: { nickname: 'Countess' },
    });
    const changed = await api.get('/v1/users/me', accessToken, { 'if-none-match': etag });
    t.equal(changed.statusCode, 200);
    t.not(changed.headers.etag, etag);
  },
);
