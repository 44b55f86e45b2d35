import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import type { Test } from '../tap.js';

/** Claims of an ID token; `undefined` removes one. */
export type Claims = Readonly<Record<string, unknown>>;

/** A request to the token endpoint. */
export interface TokenRequest {
  readonly form: URLSearchParams;
  readonly authorization: string;
}

/**
 * An identity provider whose responses a test controls, including invalid ones. It has no pages: tests read state and nonce
 * from the URL, and call the callback themselves.
 */
export interface FakeProvider {
  readonly issuer: string;
  readonly tokenRequests: readonly TokenRequest[];
  /** Number of requests by path. */
  readonly requests: ReadonlyMap<string, number>;
  /** Claims at the UserInfo endpoint, for the subject of the last ID token. */
  userInfo: Claims;
  /** Prepares the ID token for a code. */
  issue(code: string, claims: Claims): void;
  /** Overrides the response of a path. */
  respond(path: string, respond: (request: IncomingMessage, response: ServerResponse) => void): void;
  /** Runs work before the usual response of a path, until the returned function is called. */
  hold(path: string, work: () => Promise<void>): () => void;
  /** Changes the metadata. */
  metadata: Record<string, unknown>;
}

const keys = {
  ES256: await generateKeyPair('ES256', { extractable: true }),
  RS256: await generateKeyPair('RS256', { extractable: true }),
};
const otherKey = await generateKeyPair('ES256');
const jwks = await Promise.all(
  Object.entries(keys).map(async ([alg, { publicKey }]) => ({
    ...(await exportJWK(publicKey)),
    ...{ kid: alg, alg, use: 'sig' },
  })),
);

/** Starts an identity provider, and stops it when the test ends. */
export async function startFakeProvider(t: Test): Promise<FakeProvider> {
  const codes = new Map<string, Claims>();
  const overrides = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  const held = new Map<string, () => Promise<void>>();
  const tokenRequests: TokenRequest[] = [];
  const requests = new Map<string, number>();
  let subject: unknown;
  const server = http.createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const path = new URL(request.url ?? '', 'http://localhost').pathname;
    requests.set(path, (requests.get(path) ?? 0) + 1);
    const override = overrides.get(path);
    if (override !== undefined) return override(request, response);
    await held.get(path)?.();
    const { issuer: named, token_endpoint, jwks_uri, userinfo_endpoint } = provider.metadata;
    switch (path) {
      case '/.well-known/openid-configuration':
      case `${pathOf(named).replace(/\/$/, '')}/.well-known/openid-configuration`:
        return sendJson(response, provider.metadata);
      case pathOf(jwks_uri):
        return sendJson(response, { keys: jwks });
      case pathOf(userinfo_endpoint):
        return sendJson(response, { sub: subject, ...provider.userInfo });
      case pathOf(token_endpoint): {
        const form = new URLSearchParams(await readBody(request));
        tokenRequests.push({ form, authorization: request.headers.authorization ?? '' });
        const claims = codes.get(form.get('code') ?? '');
        if (claims === undefined) return sendJson(response, { error: 'invalid_grant' }, 400);
        subject = claims.sub;
        return sendJson(response, {
          access_token: 'token',
          token_type: 'Bearer',
          id_token: await idToken(provider.metadata, claims),
        });
      }
      default:
        return sendJson(response, {}, 404);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider: FakeProvider = {
    issuer,
    tokenRequests,
    requests,
    userInfo: {},
    issue: (code, claims) => codes.set(code, claims),
    respond: (path, respond) => overrides.set(path, respond),
    hold(path, work) {
      held.set(path, work);
      return () => held.delete(path);
    },
    metadata: {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: ['ES256'],
    },
  };
  return provider;
}

export const clientId = 'people';
export const clientSecret = 'the-secret-of-people';

/** `signed_by_other_key` signs the token with a key that is not published. */
async function idToken(
  { issuer, id_token_signing_alg_values_supported: algorithms }: FakeProvider['metadata'],
  { signed_by_other_key, ...claims }: Claims,
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const all = { iss: issuer, aud: clientId, iat: now, exp: now + 300, ...claims };
  const given = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  const alg = [algorithms].flat().includes('ES256') ? 'ES256' : 'RS256';
  return new SignJWT(given)
    .setProtectedHeader({ alg, kid: alg })
    .sign(signed_by_other_key ? otherKey.privateKey : keys[alg].privateKey);
}

function pathOf(url: unknown): string {
  return typeof url === 'string' ? new URL(url).pathname : '';
}

function sendJson(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

async function readBody(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += chunk;
  return text;
}
