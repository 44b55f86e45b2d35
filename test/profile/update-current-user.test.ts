import { createScene, createUser, grantTokens, type Scene } from '../support/oauth/users.js';
import { buildTestApp } from '../support/server/app.js';
import t, { type Test } from '../support/tap.js';

const api = await buildTestApp(t);
const everything = { scope: 'reports:read user:read user:write' };

async function setUp(scene?: Scene) {
  const used = scene ?? (await createScene(api.database));
  const { accessToken } = await grantTokens(api, used, everything);
  const { id } = used.user;
  return {
    scene: used,
    token: accessToken,
    patch: (body: unknown) => patch(accessToken, body),
    stored: () => api.database.prisma.user.findFirstOrThrow({ where: { id } }),
    events: () => api.database.prisma.auditEvent.findMany({ where: { userId: id, type: 'user.updated' } }),
  };
}

function patch(token: string, body: unknown) {
  return api.app.inject({
    method: 'PATCH',
    url: '/v1/users/me',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    payload: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

const written = {
  given_name: 'Augusta',
  family_name: 'King',
  nickname: 'Ada',
  picture: 'https://images.example/ada.png?size=2#face',
  locale: 'de-CH',
  zoneinfo: 'America/Argentina/Buenos_Aires',
  phone_number: '+41445550123',
};

t.test('writes every writable claim, and returns the profile', async (t) => {
  const { patch, stored, token } = await setUp();
  api.clock.advanceSeconds(3);

  const response = await patch(written);

  t.equal(response.statusCode, 200, response.body);
  const { attributes } = response.json().data;
  t.match(attributes, written);
  t.equal(attributes.name, 'Augusta King');
  t.equal(attributes.updated_at, Math.floor(api.clock().getTime() / 1000));
  t.same((await api.get('/v1/users/me', token)).json(), response.json());
  t.match(await stored(), { givenName: 'Augusta', phoneNumber: '+41445550123', updatedAt: api.clock() });
});

t.test('keeps members that are not sent, and clears those that are null', async (t) => {
  const { patch } = await setUp();
  await patch(written);
  const { attributes } = (await patch({ nickname: null, picture: null })).json().data;
  t.match(attributes, { ...written, nickname: null, picture: null });
  const cleared = (await patch({ locale: null, zoneinfo: null, phone_number: null })).json().data.attributes;
  t.match(cleared, { given_name: 'Augusta', locale: null, zoneinfo: null, phone_number: null });
});

t.test('the audit log names the claims that changed, and none of their values', async (t) => {
  const { patch, events, scene } = await setUp();
  await patch({ ...written, given_name: 'Ada' });
  const [event, ...others] = await events();
  t.same(others, []);
  t.same(event?.details, {
    claims: ['family_name', 'nickname', 'picture', 'locale', 'zoneinfo', 'phone_number'],
  });
  t.match(event, { accountId: scene.accountId, applicationId: scene.application.id, address: '127.0.0.1' });
});

t.test('values that are already stored change nothing', async (t) => {
  const { patch, events, stored } = await setUp();
  await patch(written);
  const before = await stored();
  api.clock.advanceSeconds(60);
  t.equal((await patch(written)).statusCode, 200);
  t.same(await stored(), before);
  t.equal((await events()).length, 1);
});

t.test('a new telephone number is unverified, and an unchanged one stays verified', async (t) => {
  const { patch, scene } = await setUp();
  await api.database.prisma.user.updateMany({
    where: { id: scene.user.id },
    data: { phoneNumber: '+41445550123', phoneNumberVerified: true },
  });
  const verified = async (body: object) =>
    (await patch(body)).json().data.attributes.phone_number_verified as boolean;
  t.equal(await verified({ nickname: 'x' }), true);
  t.equal(await verified({ phone_number: '+41445550123' }), true);
  t.equal(await verified({ phone_number: '+41445550124' }), false);
  t.equal(await verified({ phone_number: null }), false);
});

t.test('accepts every valid value in the standard spelling', async (t) => {
  const { patch } = await setUp();
  for (const [claim, given, kept] of [
    ['locale', 'de-ch', 'de-CH'],
    ['locale', 'zh-hant-tw', 'zh-Hant-TW'],
    ['zoneinfo', 'europe/zurich', 'Europe/Zurich'],
    ['zoneinfo', 'Asia/Calcutta', 'Asia/Calcutta'],
    ['zoneinfo', 'Etc/GMT+5', 'Etc/GMT+5'],
    ['phone_number', '+123456789012345', '+123456789012345'],
    ['picture', 'https://xn--zrich-kva.example:8443/a%20b', 'https://xn--zrich-kva.example:8443/a%20b'],
    ['given_name', '\u{1F468}'.repeat(100), '\u{1F468}'.repeat(100)],
    ['family_name', "O'Brien-李", "O'Brien-李"],
  ] as const) {
    const response = await patch({ [claim]: given });
    t.equal(response.statusCode, 200, `${claim} ${given}: ${response.body}`);
    t.equal(response.json().data.attributes[claim], kept);
  }
});

t.test('rejects every invalid value with 400 and its pointer, and changes nothing', async (t) => {
  const { patch, stored, events } = await setUp();
  const before = await stored();
  for (const [claim, values] of Object.entries({
    given_name: ['', ' ', '\t', null, 7, 'x'.repeat(101), 'a\nb', 'a\u0000b', '\uD800'],
    family_name: ['', '\u3000', null, false, 'x'.repeat(101)],
    nickname: ['', '  ', 'x'.repeat(101), [], {}],
    picture: [
      '',
      'http://images.example/a.png',
      'https://',
      'https:///a.png',
      'https://[',
      'https://user@images.example/',
      'https://user:word@images.example/',
      'HTTPS://images.example/a b',
      'javascript:alert(1)',
      '//images.example/a.png',
      'ada.png',
      `https://images.example/${'x'.repeat(2048)}`,
      1,
    ],
    locale: [
      '',
      'x',
      'overlong-x',
      'abcd',
      'en_GB',
      'de-',
      '-de',
      'de--CH',
      'de-DE-DE',
      'en-u',
      'de CH',
      '*',
      5,
    ],
    zoneinfo: [
      '',
      'Europe',
      'Europe/Atlantis',
      '+01',
      '-0500',
      '+01:00',
      'Europe/Zurich ',
      '../etc/passwd',
      0,
    ],
    phone_number: ['', '044 555 01 23', '+0445550123', '+41 44 555 01 23', '0041445550123', '+4144555012x'],
    sub: ['someone-else'],
    email: ['other@users.example'],
    email_verified: [true],
    phone_number_verified: [true],
    updated_at: [1770109964],
    name: ['Ada King'],
    id: ['x'],
    role: ['owner'],
    account_id: ['x'],
    passwordHash: ['x'],
  })) {
    for (const value of values) {
      // The valid members beside the invalid one are not stored either.
      const response = await patch({ nickname: 'Unwritten', [claim]: value });
      refused(t, response, claim, JSON.stringify(value).slice(0, 60));
    }
  }
  t.same(await stored(), before);
  t.same(await events(), []);
});

function refused(t: Test, response: Awaited<ReturnType<typeof patch>>, claim: string, label: string): void {
  const problem = response.json();
  t.equal(response.statusCode, 400, `${claim} ${label}: ${response.body}`);
  t.equal(problem.code, 'invalid_request');
  const pointers = (problem.errors ?? []).map(({ pointer }: { pointer: string }) => pointer);
  t.ok(
    pointers.length > 0 && pointers.every((pointer: string) => pointer === `/${claim}`),
    `${claim} ${label}`,
  );
  for (const { detail } of problem.errors ?? []) t.match(detail, /^\/\w+ [a-z].*\.$/s);
}

t.test('names every validation error at once', async (t) => {
  const { patch } = await setUp();
  const response = await patch({
    locale: 'abcd',
    zoneinfo: 'Europe/Atlantis',
    picture: 'https://u@x.example/',
  });
  t.equal(response.statusCode, 400);
  t.same(
    response
      .json()
      .errors.map(({ pointer }: { pointer: string }) => pointer)
      .sort(),
    ['/locale', '/picture', '/zoneinfo'],
  );
});

t.test('rejects a body without a change with 400', async (t) => {
  const { patch, token } = await setUp();
  for (const body of ['{}', '[]', 'null', '"x"', '{', '{"nickname":']) {
    t.equal((await patch(body)).statusCode, 400, body);
  }
  const headers = { authorization: `Bearer ${token}` };
  const bare = await api.app.inject({ method: 'PATCH', url: '/v1/users/me', headers });
  t.equal(bare.statusCode, 400);
});

t.test('rejects a request without a token with 401 before it checks the body', async (t) => {
  const response = await api.app.inject({
    method: 'PATCH',
    url: '/v1/users/me',
    headers: { 'content-type': 'application/json' },
    payload: '{',
  });
  t.equal(response.statusCode, 401);
});

t.test('rejects a token without a user with 403 before it checks the body', async (t) => {
  const { application } = await createScene(api.database, { clientType: 'confidential' });
  const token = await api.token(application, 'user:write');
  for (const body of [{ nickname: 'x' }, { email: 'x' }, '{']) {
    const response = await patch(token, body);
    t.equal(response.statusCode, 403);
    t.equal(response.json().code, 'user_context_required');
    t.equal(response.headers['www-authenticate'], 'Bearer realm="People API"');
  }
  t.equal((await patch(await api.token(application, 'user:read'), {})).json().code, 'insufficient_scope');
});

t.test('changes the own profile only, in one account and in two', async (t) => {
  const scene = await createScene(api.database);
  const colleague = { ...scene, user: await createUser(api.database, scene.accountId, { role: 'member' }) };
  const all = [await setUp(scene), await setUp(colleague), await setUp()];
  for (const [index, { patch }] of all.entries()) {
    t.equal((await patch({ nickname: `Number ${index}` })).statusCode, 200);
  }
  for (const [index, { stored }] of all.entries()) t.equal((await stored()).nickname, `Number ${index}`);
});

t.test('stores all concurrent changes', async (t) => {
  const { patch, stored } = await setUp();
  const bodies = Object.entries(written).map(([claim, value]) => ({ [claim]: value }));
  const responses = await Promise.all(bodies.map((body) => patch(body)));
  t.ok(responses.every(({ statusCode }) => statusCode === 200));
  t.match(await stored(), {
    givenName: 'Augusta',
    nickname: 'Ada',
    locale: 'de-CH',
    phoneNumber: '+41445550123',
  });
});
