import { createHash, createPublicKey, generateKeyPairSync, type KeyObject, randomUUID } from 'node:crypto';
import type { InjectOptions, LightMyRequestResponse } from 'fastify';
import { calculateJwkThumbprint, type JWK, SignJWT } from 'jose';
import type { Test } from 'tap';
import type { TestApplication } from '../records/tenant.js';
import type { TestApp } from '../server/app.js';

export type ProofAlgorithm = 'ES256' | 'PS256' | 'EdDSA' | 'Ed25519';

/** A key of a client, which signs proofs. */
export interface ProofSigner {
  readonly alg: string;
  readonly privateKey: KeyObject;
  readonly jwk: JWK;
  readonly jkt: string;
}

export async function createSigner(
  alg: string = 'ES256',
  pair: { readonly privateKey: KeyObject } = keyPairs[alg as ProofAlgorithm](),
): Promise<ProofSigner> {
  const { privateKey } = pair;
  const jwk = createPublicKey(privateKey).export({ format: 'jwk' }) as JWK;
  return { alg, privateKey, jwk, jkt: await calculateJwkThumbprint(jwk) };
}

const keyPairs: Readonly<Record<ProofAlgorithm, () => { readonly privateKey: KeyObject }>> = {
  ES256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  PS256: () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
  EdDSA: () => generateKeyPairSync('ed25519'),
  Ed25519: () => generateKeyPairSync('ed25519'),
};

/** What a proof is for, and what is changed in it; `undefined` removes a member. */
export interface ProofContent {
  readonly method: string;
  readonly url: string;
  readonly accessToken?: string;
  readonly nonce?: string | undefined;
  readonly header?: Record<string, unknown>;
  readonly claims?: Record<string, unknown>;
}

/** Signs a proof, valid or not. */
export function signProof(
  api: TestApp,
  { alg, privateKey, jwk }: ProofSigner,
  { method, url, accessToken, nonce, header = {}, claims = {} }: ProofContent,
): Promise<string> {
  const ath =
    accessToken === undefined ? undefined : createHash('sha256').update(accessToken).digest('base64url');
  const path = url.split('?')[0];
  const content = {
    jti: randomUUID(),
    htm: method,
    htu: `${api.config.baseUrl}${path}`,
    iat: Math.floor(api.clock().getTime() / 1000),
    ath,
    nonce,
    ...claims,
  };
  return new SignJWT(JSON.parse(JSON.stringify(content)))
    .setProtectedHeader({ alg, typ: 'dpop+jwt', jwk, ...header } as { alg: string })
    .sign(privateKey);
}

/** Sends requests with proofs. A client remembers the last nonce, as client libraries do. */
export function dpopClient(api: TestApp, signer: ProofSigner) {
  let nonce: string | undefined;
  const remember = (response: LightMyRequestResponse) => {
    const given = response.headers['dpop-nonce'];
    if (given !== undefined) nonce = String(given);
    return response;
  };
  const proof = (content: ProofContent) => signProof(api, signer, { nonce, ...content });

  /** A token request with a proof, repeated once with the nonce of the server. */
  async function postForm(
    form: Record<string, string>,
    content: Partial<ProofContent> = {},
  ): Promise<LightMyRequestResponse> {
    const url = '/v1/oauth/token';
    const send = async () =>
      remember(await api.postForm(url, form, { dpop: await proof({ method: 'POST', url, ...content }) }));
    const response = await send();
    return response.json().error === 'use_dpop_nonce' && content.nonce === undefined ? send() : response;
  }

  /** A request with a bound access token and its proof, repeated once with the nonce of the server. */
  async function call(
    accessToken: string,
    content: Partial<ProofContent> = {},
    options: InjectOptions & { headers?: Record<string, string> } = {},
  ): Promise<LightMyRequestResponse> {
    const method = options.method ?? 'GET';
    const url = String(options.url ?? '/v1/employees');
    const send = async () => {
      const dpop = await proof({ method, url, accessToken, ...content });
      const headers = { authorization: `DPoP ${accessToken}`, dpop, ...options.headers };
      return remember(await api.app.inject({ ...options, method, url, headers }));
    };
    const response = await send();
    const again = response.statusCode === 401 && response.json().code === 'use_dpop_nonce';
    return again && !('nonce' in content) ? send() : response;
  }

  /** A bound access token of the client credentials grant. */
  async function token(
    { clientId, clientSecret }: TestApplication,
    changes: Record<string, string> = {},
  ): Promise<string> {
    const form = {
      grant_type: 'client_credentials',
      client_id: clientId,
      client_secret: clientSecret,
      ...changes,
    };
    const response = await postForm(form);
    if (response.statusCode !== 200) throw new Error(response.body);
    return response.json().access_token;
  }

  return { signer, proof, postForm, call, token };
}

const challenge =
  /^DPoP realm="[^"]+", error="(\w+)", error_description="[^"\\]+", algs="ES256 PS256 EdDSA Ed25519"$/;

/** Expects 401 with this code and a challenge of RFC 9449 section 7.1. */
export function proofRefused(
  t: Test,
  response: LightMyRequestResponse,
  code: 'invalid_dpop_proof' | 'use_dpop_nonce' | 'invalid_token' | 'token_expired',
  label = '',
): void {
  t.equal(response.statusCode, 401, `${label} ${response.body}`);
  t.equal(response.json().code, code, label);
  t.equal(response.headers['content-type'], 'application/problem+json');
  const [, error] = challenge.exec(String(response.headers['www-authenticate'])) ?? [];
  t.equal(error, code === 'token_expired' ? 'invalid_token' : code, label);
  t.equal('dpop-nonce' in response.headers, code === 'use_dpop_nonce', label);
}
