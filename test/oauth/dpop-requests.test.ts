import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto';
import { type JWK, UnsecuredJWT } from 'jose';
import { readProofKey } from '../../src/oauth/dpop/proof-key.js';
import { refused } from '../support/oauth/bearer-calls.js';
import {
  createSigner,
  dpopClient,
  type ProofContent,
  proofRefused,
  signProof,
} from '../support/oauth/dpop.js';
import { createScene } from '../support/oauth/users.js';
import { createTenant, makeEmployees } from '../support/records/tenant.js';
import { buildTestApp } from '../support/server/app.js';
import t from '../support/tap.js';

const api = await buildTestApp(t);
const { database } = api;

async function setUp() {
  const { application, employeeIds } = await createTenant(database, { employees: makeEmployees(2) });
  const client = dpopClient(api, await createSigner());
  const token = await client.token(application);
  return { client, token, application, employeeIds };
}

const url = '/v1/employees';
const other = await createSigner();
const ofRsa = await createSigner('PS256');

t.test('accepts a bound token with a proof of each algorithm', async (t) => {
  for (const alg of ['ES256', 'PS256', 'EdDSA', 'Ed25519']) {
    const { application } = await createTenant(database);
    const client = dpopClient(api, alg === 'PS256' ? ofRsa : await createSigner(alg));
    const token = await client.token(application);
    t.equal((await client.call(token)).statusCode, 200, alg);
    t.equal((await client.call(token)).statusCode, 200, `${alg} again`);
  }
});

t.test('accepts a proof at every operation, by its own method and URL', async (t) => {
  const { client, token, employeeIds } = await setUp();
  const [id = ''] = employeeIds;
  const head = await client.call(token, {}, { method: 'HEAD', url });
  t.equal(head.statusCode, 200);
  t.equal((await client.call(token, {}, { url: `${url}/${id}` })).statusCode, 200);
  t.equal((await client.call(token, {}, { url: `${url}?page%5Bsize%5D=1` })).statusCode, 200);
  const created = await client.call(
    token,
    {},
    {
      method: 'POST',
      url: '/v1/reports',
      headers: { 'content-type': 'application/json' },
      payload: JSON.stringify({ title: 'Bound' }),
    },
  );
  t.equal(created.statusCode, 201, created.body);
  const path = `/v1/reports/${created.json().data.id}`;
  t.equal((await client.call(token, {}, { method: 'DELETE', url: path })).statusCode, 204);
});

t.test('accepts the header name and the scheme in any letter case', async (t) => {
  const { client, token } = await setUp();
  await client.call(token);
  for (const [scheme, name] of [
    ['dpop', 'DPOP'],
    ['DPOP', 'dpop'],
  ] as const) {
    const proof = await client.proof({ method: 'GET', url, accessToken: token });
    const response = await api.app.inject({
      url,
      headers: { authorization: `${scheme} ${token}`, [name]: proof },
    });
    t.equal(response.statusCode, 200, response.body);
  }
});

t.test('accepts an htu with a query, a fragment, another letter case or the default port', async (t) => {
  const { client, token, employeeIds } = await setUp();
  for (const htu of [
    'http://api.test/v1/employees?page=1#x',
    'http://api.test/v1/employees#x',
    'HTTP://API.TEST/v1/employees',
    'http://api.test:80/v1/employees',
    'http://api.test/v1/%65mployees',
  ]) {
    t.equal((await client.call(token, { claims: { htu } })).statusCode, 200, htu);
  }
  const withQuery = { url: `${url}?page%5Bsize%5D=1` };
  t.equal(
    (
      await client.call(
        token,
        { claims: { htu: 'http://api.test/v1/employees?page%5Bsize%5D=1' } },
        withQuery,
      )
    ).statusCode,
    200,
  );
  t.equal(employeeIds.length, 2);
});

t.test('ignores members of a proof that it does not know', async (t) => {
  const { client, token } = await setUp();
  const extra = { header: { extra: 'x', kid: 'y' }, claims: { extra: { a: 1 }, exp: 1, nbf: 4_000_000_000 } };
  t.equal((await client.call(token, extra)).statusCode, 200);
});

t.test('accepts a proof whose iat is of a wrong clock, because its nonce shows its time', async (t) => {
  const { client, token } = await setUp();
  const now = Math.floor(api.clock().getTime() / 1000);
  for (const seconds of [-3600, -10, 10, 3600])
    t.equal((await client.call(token, { claims: { iat: now + seconds } })).statusCode, 200, String(seconds));
});

t.test('rejects a proof with a missing or wrong member', async (t) => {
  const { client, token } = await setUp();
  await client.call(token);
  const privateKey = { ...client.signer.jwk, d: 'AAAA' };
  const cases: Readonly<Record<string, Partial<ProofContent>>> = {
    'without typ': { header: { typ: undefined } },
    'typ JWT': { header: { typ: 'JWT' } },
    'typ at+jwt': { header: { typ: 'at+jwt' } },
    'without jwk': { header: { jwk: undefined } },
    'jwk that is text': { header: { jwk: 'x' } },
    'jwk of another key': { header: { jwk: other.jwk } },
    'jwk with the private key': { header: { jwk: privateKey } },
    'jwk that is a symmetric key': { header: { jwk: { kty: 'oct', k: 'AAAA' } } },
    'jwk that is not a point of the curve': {
      header: { jwk: { ...client.signer.jwk, x: client.signer.jwk.y } },
    },
    'without jti': { claims: { jti: undefined } },
    'empty jti': { claims: { jti: '' } },
    'jti that is a number': { claims: { jti: 5 } },
    'jti that is too long': { claims: { jti: 'x'.repeat(256) } },
    'without htm': { claims: { htm: undefined } },
    'htm PUT': { claims: { htm: 'PUT' } },
    'htm in lower case': { claims: { htm: 'get' } },
    'htm HEAD': { claims: { htm: 'HEAD' } },
    'without htu': { claims: { htu: undefined } },
    'htu of another path': { claims: { htu: 'http://api.test/v1/reports' } },
    'htu with a trailing slash': { claims: { htu: 'http://api.test/v1/employees/' } },
    'htu of another host': { claims: { htu: 'http://other.test/v1/employees' } },
    'htu of another scheme': { claims: { htu: 'https://api.test/v1/employees' } },
    'htu of another port': { claims: { htu: 'http://api.test:81/v1/employees' } },
    'htu with user information': { claims: { htu: 'http://user@api.test/v1/employees' } },
    'htu that is a path': { claims: { htu: '/v1/employees' } },
    'htu that is too long': { claims: { htu: `http://api.test/v1/employees?${'x'.repeat(2100)}` } },
    'htu that is a list': { claims: { htu: ['http://api.test/v1/employees'] } },
    'without iat': { claims: { iat: undefined } },
    'iat that is text': { claims: { iat: '1' } },
    'without ath': { claims: { ath: undefined } },
    'wrong ath': { claims: { ath: createHash('sha256').update('x').digest('base64url') } },
    'ath that is the token': { claims: { ath: token } },
  };
  for (const [label, content] of Object.entries(cases))
    proofRefused(t, await client.call(token, content), 'invalid_dpop_proof', label);
  t.equal((await client.call(token)).statusCode, 200, 'a correct proof still works');
});

t.test('rejects a proof that is not a signed JWT, or with more than one header', async (t) => {
  const { client, token } = await setUp();
  await client.call(token);
  const proof = () => client.proof({ method: 'GET', url, accessToken: token });
  const send = (dpop: string | string[]) =>
    api.app.inject({ url, headers: { authorization: `DPoP ${token}`, dpop } });
  const [header = '', payload = '', signature = ''] = (await proof()).split('.');
  const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const good = { typ: 'dpop+jwt', alg: 'ES256', jwk: client.signer.jwk };
  for (const [label, text] of Object.entries({
    empty: '',
    'no JWT': 'x',
    'two parts': `${header}.${payload}`,
    'empty signature': `${header}.${payload}.`,
    'another payload': `${header}.${encode({ a: 1 })}.${signature}`,
    'header that is no JSON': `eA.${payload}.${signature}`,
    'without alg': `${encode({ ...good, alg: undefined })}.${payload}.${signature}`,
    'alg none': `${encode({ ...good, alg: 'none' })}.${payload}.${signature}`,
    'critical header': `${encode({ ...good, crit: ['x'], x: 1 })}.${payload}.${signature}`,
    'wrong signature': `${header}.${payload}.${'A'.repeat(86)}`,
    'too long': `${header}.${payload}.${'A'.repeat(5000)}`,
    unsecured: new UnsecuredJWT({ jti: 'x' }).encode(),
    'two in one header': `${await proof()}, ${await proof()}`,
  })) {
    proofRefused(t, await send(text), 'invalid_dpop_proof', label);
  }
  const two = await send([await proof(), await proof()]);
  proofRefused(t, two, 'invalid_dpop_proof', 'two headers');
});

t.test('rejects keys and algorithms that are not accepted', async (t) => {
  const { client, token } = await setUp();
  await client.call(token);
  const signers = {
    RS256: await createSigner('RS256', ofRsa),
    PS384: await createSigner('PS384', ofRsa),
    ES384: await createSigner('ES384', generateKeyPairSync('ec', { namedCurve: 'P-384' })),
  };
  const nonce = await nonceOf();
  for (const [label, signer] of Object.entries(signers)) {
    const content = { method: 'GET', url, accessToken: token, nonce };
    const dpop = await signProof(api, signer, content);
    const response = await api.app.inject({ url, headers: { authorization: `DPoP ${token}`, dpop } });
    proofRefused(t, response, 'invalid_dpop_proof', label);
  }
});

t.test('rejects an RSA key with too few or too many bits, or with another exponent', async (t) => {
  // A key with these properties takes seconds to generate. The public part of one needs only numbers.
  const rsa = (bits: number, exponent: readonly number[] = [1, 0, 1]): JWK => {
    const modulus = randomBytes(bits / 8);
    modulus[0] = 0x80;
    modulus[modulus.length - 1] = 1;
    return {
      kty: 'RSA',
      n: modulus.toString('base64url'),
      e: Buffer.from(exponent).toString('base64url'),
    };
  };
  for (const bits of [2048, 4096]) t.ok(await readProofKey('PS256', rsa(bits)), `${bits} bits`);
  const rejected = { '2040 bits': rsa(2040), '5120 bits': rsa(5120), 'the exponent 3': rsa(2048, [3]) };
  const { client, token } = await setUp();
  await client.call(token);
  const nonce = await nonceOf();
  for (const [label, jwk] of Object.entries(rejected)) {
    t.equal(await readProofKey('PS256', jwk), undefined, label);
    const content = { method: 'GET', url, accessToken: token, nonce };
    const dpop = await signProof(api, { ...ofRsa, jwk }, content);
    const response = await api.app.inject({ url, headers: { authorization: `DPoP ${token}`, dpop } });
    proofRefused(t, response, 'invalid_dpop_proof', label);
  }
});

/** A nonce of the server. */
async function nonceOf(): Promise<string> {
  const { client, token } = await setUp();
  const response = await client.call(token, { nonce: undefined });
  return String(response.headers['dpop-nonce']);
}

t.test('rejects a proof of another key than that of the token', async (t) => {
  const { token } = await setUp();
  const thief = dpopClient(api, other);
  proofRefused(t, await thief.call(token), 'invalid_dpop_proof');
});

t.test('rejects a bound token without a proof, and with the scheme Bearer', async (t) => {
  const { client, token } = await setUp();
  await client.call(token);
  const without = await api.app.inject({ url, headers: { authorization: `DPoP ${token}` } });
  proofRefused(t, without, 'invalid_dpop_proof');
  proofRefused(t, await api.get(url, token), 'invalid_token');
  const dpop = await client.proof({ method: 'GET', url, accessToken: token });
  const downgraded = await api.app.inject({ url, headers: { authorization: `Bearer ${token}`, dpop } });
  proofRefused(t, downgraded, 'invalid_token');
});

t.test(
  'rejects a bearer token with the scheme DPoP, and ignores a proof beside the scheme Bearer',
  async (t) => {
    const { client, application } = await setUp();
    const bearer = await api.token(application);
    proofRefused(t, await client.call(bearer), 'invalid_token');
    const dpop = await client.proof({ method: 'GET', url, accessToken: bearer });
    const response = await api.app.inject({ url, headers: { authorization: `Bearer ${bearer}`, dpop } });
    t.equal(response.statusCode, 200);
    refused(t, await api.get(url), 'unauthorized');
  },
);

t.test('rejects an expired and a revoked bound token with the scheme of the request', async (t) => {
  const local = await buildTestApp(t, { database });
  const { application } = await createTenant(database);
  const client = dpopClient(local, await createSigner());
  const revoked = await client.token(application);
  const { clientId: client_id, clientSecret: client_secret } = application;
  t.equal((await client.call(revoked)).statusCode, 200);
  const revocation = { client_id, client_secret, token: revoked };
  t.equal((await local.postForm('/v1/oauth/revoke', revocation)).statusCode, 200);
  proofRefused(t, await client.call(revoked), 'invalid_token');
  const expired = await client.token(application);
  local.clock.advanceSeconds(3600);
  proofRefused(t, await client.call(expired), 'token_expired');
});

t.test('names a missing scope in a challenge with the scheme of the request', async (t) => {
  const { client, application } = await setUp();
  const token = await client.token(application, { scope: 'user:read' });
  const response = await client.call(token);
  t.equal(response.statusCode, 403);
  t.match(
    response.headers['www-authenticate'],
    /^DPoP realm="[^"]+", error="insufficient_scope", scope="reports:read", algs="ES256 PS256 EdDSA Ed25519"$/,
  );
});

t.test(
  'the endpoint of the Model Context Protocol accepts a bound token with one proof for a tool call',
  async (t) => {
    const { application } = await createScene(database, { clientType: 'confidential' });
    const client = dpopClient(api, await createSigner());
    const token = await client.token(application, { resource: 'http://api.test/mcp' });
    const send = (content: Partial<ProofContent> = {}) =>
      client.call(token, content, {
        method: 'POST',
        url: '/mcp',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        payload: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'listEmployees', arguments: {} },
        }),
      });
    const response = await send();
    t.equal(response.statusCode, 200, response.body);
    t.notOk(response.json().result?.isError, response.body);
    t.match(response.body, 'record_count');
    const wrong = await send({ claims: { htu: 'http://api.test/v1/employees' } });
    t.equal(wrong.statusCode, 401);
    t.match(
      wrong.headers['www-authenticate'],
      /^DPoP .*error="invalid_dpop_proof".*algs="ES256 PS256 EdDSA Ed25519".*resource_metadata=/,
    );
    const bearer = await api.app.inject({
      method: 'POST',
      url: '/mcp',
      headers: { authorization: `Bearer ${token}` },
    });
    t.equal(bearer.statusCode, 401);
  },
);

t.test('scripts of other origins can send proofs and read nonces', async (t) => {
  const headers = {
    origin: 'https://client.example',
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization, dpop',
  };
  const preflight = await api.app.inject({ method: 'OPTIONS', url, headers });
  t.match(preflight.headers['access-control-allow-headers'], /\bdpop\b/);
  t.match((await api.get(url)).headers['access-control-expose-headers'], /\bdpop-nonce\b/);
});

t.test('the metadata of the server and of the resource lists the algorithms', async (t) => {
  for (const path of [
    'oauth-authorization-server',
    'oauth-protected-resource',
    'oauth-protected-resource/mcp',
  ]) {
    const { dpop_signing_alg_values_supported } = (await api.get(`/.well-known/${path}`)).json();
    t.same(dpop_signing_alg_values_supported, ['ES256', 'PS256', 'EdDSA', 'Ed25519'], path);
  }
});
