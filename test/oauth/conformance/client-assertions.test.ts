import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type JWK, type JWTPayload, SignJWT } from 'jose';
import { useKeys } from '../../support/oauth/client-keys.js';
import { createScene, expectOAuthError, grantCode, type Scene, tokensOf } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

// The cases of the negative tests for client assertions in the conformance suite of the OpenID Foundation (FAPI 2.0 Security
// Profile), at every endpoint at which a client authenticates. test/oauth/private-key-jwt.test.ts has more wrong assertions.

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const { database, clock } = api;
const issuer = api.config.baseUrl;
const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const otherKey = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

/** An application that authenticates with one key of RSA, which fits RS256 too. */
async function createKeyed(): Promise<Scene> {
  const scene = await createScene(database, { clientType: 'confidential' });
  await useKeys(database, scene.application, [publicKey.export({ format: 'jwk' }) as JWK]);
  return scene;
}

interface Changes {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly alg?: string;
  readonly key?: typeof privateKey;
}

/** The form fields with an assertion for this client, which the changes make invalid. */
async function assertionOf(clientId: string, { claims = {}, alg = 'PS256', key = privateKey }: Changes = {}) {
  const now = Math.floor(clock().getTime() / 1000);
  const content = {
    iss: clientId,
    sub: clientId,
    aud: issuer,
    jti: randomUUID(),
    iat: now,
    nbf: now,
    exp: now + 60,
    ...claims,
  };
  const payload = JSON.parse(JSON.stringify(content)) as JWTPayload;
  const client_assertion = await new SignJWT(payload).setProtectedHeader({ alg }).sign(key);
  return { client_assertion_type, client_assertion };
}

const now = Math.floor(clock().getTime() / 1000);
const wrong: Readonly<Record<string, Changes>> = {
  'with exp five minutes ago': { claims: { iat: now - 360, nbf: now - 360, exp: now - 300 } },
  'without sub': { claims: { sub: undefined } },
  'with another sub': { claims: { sub: 'another' } },
  'with another iss': { claims: { iss: 'another' } },
  'with another aud': { claims: { aud: 'https://other.example' } },
  'with the authorization endpoint as aud': { claims: { aud: `${issuer}/v1/oauth/authorize` } },
  'with the UserInfo endpoint as aud': { claims: { aud: `${issuer}/v1/oauth/userinfo` } },
  'with iat and nbf more than a minute in the future': {
    claims: { iat: now + 65, nbf: now + 65, exp: now + 125 },
  },
  'signed with RS256 and the registered key': { alg: 'RS256' },
  'signed with a key that is not registered': { key: otherKey },
};

for (const [label, changes] of Object.entries(wrong))
  t.test(
    `rejects an assertion ${label}, and neither consumes the code nor revokes or describes tokens`,
    async (t) => {
      const scene = await createKeyed();
      const { clientId: client_id } = scene.application;
      const { form } = await grantCode(api, scene);
      const post = async (path: string, fields: Record<string, string>, given: Changes = {}) =>
        api.postForm(path, { client_id, ...fields, ...(await assertionOf(client_id, given)) });
      const expectRejected = async (path: string, fields: Record<string, string>) =>
        expectOAuthError(t, await post(path, fields, changes), 'invalid_client', { label: path });

      await expectRejected('/v1/oauth/token', form);
      const tokens = tokensOf(await post('/v1/oauth/token', form));

      const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken };
      await expectRejected('/v1/oauth/token', refresh);
      for (const token of [tokens.accessToken, tokens.refreshToken]) {
        await expectRejected('/v1/oauth/introspect', { token });
        await expectRejected('/v1/oauth/revoke', { token });
        t.equal((await post('/v1/oauth/introspect', { token })).json().active, true);
      }
      t.equal((await post('/v1/oauth/token', refresh)).statusCode, 200);
    },
  );

t.test('rejects an exchange without an assertion, and does not consume the code', async (t) => {
  const scene = await createKeyed();
  const { clientId } = scene.application;
  const { form } = await grantCode(api, scene);
  expectOAuthError(t, await api.postForm('/v1/oauth/token', form), 'invalid_client');
  const withType = { ...form, client_assertion_type };
  t.equal((await api.postForm('/v1/oauth/token', withType)).statusCode, 400);
  const signed = { ...form, ...(await assertionOf(clientId)) };
  t.equal((await api.postForm('/v1/oauth/token', signed)).statusCode, 200);
});

t.test('accepts iat and nbf eight seconds in the future', async (t) => {
  const { application } = await createKeyed();
  const claims = { iat: now + 8, nbf: now + 8, exp: now + 68 };
  const fields = await assertionOf(application.clientId, { claims });
  const response = await api.postForm('/v1/oauth/token', { grant_type: 'client_credentials', ...fields });
  t.equal(response.statusCode, 200, response.body);
});

t.test('rejects the code of a client with the assertion of another client', async (t) => {
  const [scene, other] = [await createKeyed(), await createKeyed()];
  const { form } = await grantCode(api, scene);
  const { client_id: _, ...exchange } = form;
  const foreign = await assertionOf(other.application.clientId);
  expectOAuthError(t, await api.postForm('/v1/oauth/token', { ...exchange, ...foreign }), 'invalid_grant');
  const own = await assertionOf(scene.application.clientId);
  t.equal((await api.postForm('/v1/oauth/token', { ...exchange, ...own })).statusCode, 200);
});
