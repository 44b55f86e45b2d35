import { createHash } from 'node:crypto';
import { type JWK, UnsecuredJWT } from 'jose';
import {
  createSigner,
  dpopClient,
  type ProofContent,
  type ProofSigner,
  proofRefused,
  signProof,
} from '../../support/oauth/dpop.js';
import { createScene, expectOAuthError, grantCode, tokensOf } from '../../support/oauth/users.js';
import { buildTestApp } from '../../support/server/app.js';
import t from '../../support/tap.js';

// The cases of the negative tests for proofs of possession in the conformance suite of the OpenID Foundation (FAPI 2.0 Security
// Profile), at the UserInfo endpoint and, as far as they apply, at the token endpoint. The key is RSA, so that RS256 fits it.

const api = await buildTestApp(t, { environment: { RATE_LIMIT_FAILURES: '0' } });
const userInfo = '/v1/oauth/userinfo';
const tokenEndpoint = '/v1/oauth/token';
const endpoints = [userInfo, tokenEndpoint] as const;

const signer = await createSigner('PS256');
const otherSigner = await createSigner('PS256');
const rs256 = await createSigner('RS256', signer);
const privateJwk = signer.privateKey.export({ format: 'jwk' }) as JWK;
const client = dpopClient(api, signer);

const scene = await createScene(api.database, { clientType: 'confidential' });
const { clientId: client_id, clientSecret: client_secret } = scene.application;
const { form } = await grantCode(api, scene, { scope: 'openid' });
const { accessToken } = tokensOf(await client.postForm({ ...form, client_secret }));
const nonce = String((await client.call(accessToken, { nonce: undefined })).headers['dpop-nonce']);

type Endpoint = (typeof endpoints)[number];

/** A request with a proof. The functions change the proof before and after it is signed, `null` sends no proof. */
async function send(
  endpoint: Endpoint,
  {
    content = {},
    by = signer,
    change = (proof) => proof,
    name = 'dpop',
    scheme = 'DPoP',
  }: {
    content?: Partial<ProofContent>;
    by?: ProofSigner;
    change?: (proof: string) => string | string[] | null;
    name?: string;
    scheme?: string;
  } = {},
) {
  const isToken = endpoint === tokenEndpoint;
  const proof = change(
    await signProof(api, by, {
      method: isToken ? 'POST' : 'GET',
      url: endpoint,
      nonce,
      ...(!isToken && { accessToken }),
      ...content,
    }),
  );
  const headers = proof === null ? {} : { [name]: proof };
  if (!isToken)
    return api.app.inject({
      url: endpoint,
      headers: { authorization: `${scheme} ${accessToken}`, ...headers },
    });
  const credentials = { grant_type: 'client_credentials', client_id, client_secret };
  return api.app.inject({
    method: 'POST',
    url: endpoint,
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    payload: new URLSearchParams(credentials).toString(),
  });
}

const now = Math.floor(api.clock().getTime() / 1000);
const base = api.config.baseUrl;
const hashOf = (text: string) => createHash('sha256').update(text).digest('base64url');
const encode = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');
const payloadOf = (proof: string) => proof.split('.')[1] ?? '';
const partsOf = (proof: string) => proof.split('.') as [string, string, string];

type Case = Parameters<typeof send>[1] | ((endpoint: Endpoint) => Parameters<typeof send>[1]);

const rejected: Readonly<Record<string, Case>> = {
  'of two headers': { change: (proof) => [proof, proof] },
  'without a signature part': { change: (proof) => partsOf(proof).slice(0, 2).join('.') },
  'without typ': { content: { header: { typ: undefined } } },
  'without alg': {
    change: (proof) =>
      [encode({ typ: 'dpop+jwt', alg2: 'PS256', jwk: signer.jwk }), ...partsOf(proof).slice(1)].join('.'),
  },
  'without jwk': { content: { header: { jwk: undefined } } },
  'without jti': { content: { claims: { jti: undefined } } },
  'without htm': { content: { claims: { htm: undefined } } },
  'without htu': { content: { claims: { htu: undefined } } },
  'without iat': { content: { claims: { iat: undefined } } },
  'with another typ': { content: { header: { typ: 'dpop+jwt+other' } } },
  'signed with RS256 and the key of the client': { by: rs256 },
  'with the header RS256 and a signature with PS256': {
    change: (proof) =>
      [encode({ typ: 'dpop+jwt', alg: 'RS256', jwk: signer.jwk }), ...partsOf(proof).slice(1)].join('.'),
  },
  'with alg none': { change: (proof) => `${encode({ typ: 'dpop+jwt', alg: 'none' })}.${payloadOf(proof)}.` },
  'with alg none and the key': {
    change: (proof) => `${encode({ typ: 'dpop+jwt', alg: 'none', jwk: signer.jwk })}.${payloadOf(proof)}.`,
  },
  'that is an unsecured JWT': { change: () => new UnsecuredJWT({ jti: 'x' }).encode() },
  'with a changed signature': {
    change: (proof) => {
      const [header, payload, signature] = partsOf(proof);
      const changed = Buffer.from(signature, 'base64url').map((byte) => byte ^ 0x5a);
      return [header, payload, Buffer.from(changed).toString('base64url')].join('.');
    },
  },
  'with the private key': { content: { header: { jwk: privateJwk } } },
  'with another method': { content: { claims: { htm: 'PUT' } } },
  'with the URL and a suffix': (endpoint) => ({ content: { claims: { htu: `${base}${endpoint}x` } } }),
  'with the URL and a suffix before the query': (endpoint) => ({
    content: { claims: { htu: `${base}${endpoint}x?a=1` } },
  }),
};

const rejectedAtUserInfo: Readonly<Record<string, Case>> = {
  'without ath': { content: { claims: { ath: undefined } } },
  'with the hash of another token': { content: { claims: { ath: hashOf('another token') } } },
  'signed with another key': { by: otherSigner },
  'that is missing': { change: () => null },
};

const accepted: Readonly<Record<string, Case>> = {
  'in a header in capital letters': { name: 'DPOP' },
  'whose URL has a query and a fragment': (endpoint) => ({
    content: { claims: { htu: `${base}${endpoint}?a=1#b` } },
  }),
  'whose URL has the scheme and the host in capital letters': (endpoint) => ({
    content: { claims: { htu: `HTTP://API.TEST${endpoint}` } },
  }),
  'whose URL has the default port': (endpoint) => ({
    content: { claims: { htu: `http://api.test:80${endpoint}` } },
  }),
  'with unknown members': {
    content: { header: { unknown: 1 }, claims: { unknown: { nested: true } } },
  },
  'with nbf and exp': { content: { claims: { nbf: 1, exp: 4_000_000_000 } } },
  'whose iat is an hour ago, with a nonce': { content: { claims: { iat: now - 3600 } } },
  'whose iat is in an hour, with a nonce': { content: { claims: { iat: now + 3600 } } },
};

for (const endpoint of endpoints) {
  const apply = (given: Case) => send(endpoint, typeof given === 'function' ? given(endpoint) : given);
  const cases = endpoint === userInfo ? { ...rejected, ...rejectedAtUserInfo } : rejected;

  for (const [label, given] of Object.entries(cases))
    t.test(`${endpoint} rejects a proof ${label}`, async (t) => {
      const response = await apply(given);
      if (endpoint === userInfo) proofRefused(t, response, 'invalid_dpop_proof', label);
      else expectOAuthError(t, response, 'invalid_dpop_proof', { label });
    });

  for (const [label, given] of Object.entries(accepted))
    t.test(`${endpoint} accepts a proof ${label}`, async (t) => {
      t.equal((await apply(given)).statusCode, 200);
    });

  t.test(`${endpoint} accepts a jti once`, async (t) => {
    const content = { claims: { jti: `used once at ${endpoint}` } };
    t.equal((await send(endpoint, { content })).statusCode, 200);
    const response = await send(endpoint, { content });
    if (endpoint === userInfo) proofRefused(t, response, 'invalid_dpop_proof');
    else expectOAuthError(t, response, 'invalid_dpop_proof');
  });
}

t.test(
  'the UserInfo endpoint rejects a bound token with the scheme Bearer, with and without a proof',
  async (t) => {
    proofRefused(t, await send(userInfo, { scheme: 'Bearer' }), 'invalid_token');
    proofRefused(t, await send(userInfo, { scheme: 'Bearer', change: () => null }), 'invalid_token');
  },
);

t.test('a correct proof still works after all rejections', async (t) => {
  for (const endpoint of endpoints) t.equal((await send(endpoint)).statusCode, 200, endpoint);
});
