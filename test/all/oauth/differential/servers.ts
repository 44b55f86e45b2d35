import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import Provider, { type Client } from 'oidc-provider';
import { grantCode, grantTokens, type Scene } from '../../../support/oauth/users.js';
import type { TestApplication } from '../../../support/records/tenant.js';
import type { TestApp } from '../../../support/server/app.js';
import { freePort } from '../../../support/server/free-port.js';
import type { Test } from '../../../support/tap.js';
import type { Endpoint } from './requests.js';

/** The values of a server for the names in a request. */
export type Values = Readonly<Record<string, string>>;

/** One of the servers that get the same requests. */
export interface ComparedServer {
  readonly endpoints: Readonly<Record<Endpoint, string>>;
  /** Issues a value for a request: `code`, `access`, `refresh`, `own` or `pushed`. The code has the verifier {@link verifier}. */
  issue(name: string): Promise<Values>;
}

/** The clients of both servers. */
export interface ComparedClients {
  readonly post: TestApplication;
  readonly basic: TestApplication;
  readonly public: TestApplication;
}

export const redirectUri = 'https://client.example/callback';
const verifier = 'v'.repeat(43);
const scope = 'openid profile';
const issued = (name: string, value: string): Values => ({ [name]: value });

/** Pushes a valid request. */
async function pushTo(endpoint: string, { clientId, clientSecret }: TestApplication): Promise<Values> {
  const response = await fetch(endpoint, {
    method: 'POST',
    body: new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      client_secret: clientSecret,
      redirect_uri: redirectUri,
      scope: 'openid',
      state: 'a state',
      code_challenge: createHash('sha256').update(verifier).digest('base64url'),
      code_challenge_method: 'S256',
    }),
  });
  const { request_uri } = (await response.json()) as { readonly request_uri: string };
  return issued('pushed', request_uri);
}

export function compareOwn(api: TestApp, scene: Scene): ComparedServer {
  const base = `${api.config.baseUrl}/v1/oauth`;
  return {
    endpoints: {
      authorize: `${base}/authorize`,
      par: `${base}/par`,
      token: `${base}/token`,
      introspect: `${base}/introspect`,
      revoke: `${base}/revoke`,
      userinfo: `${base}/userinfo`,
    },
    async issue(name) {
      if (name === 'pushed') return pushTo(`${base}/par`, scene.application);
      if (name === 'own') return issued(name, await api.token(scene.application, 'reports:read'));
      if (name === 'code') {
        const { code, form } = await grantCode(api, scene, { scope });
        return { code, verifier: form.code_verifier ?? '' };
      }
      const { accessToken, refreshToken } = await grantTokens(api, scene, { scope });
      return issued(name, name === 'access' ? accessToken : refreshToken);
    },
  };
}

/** Starts oidc-provider with the same clients, and stops it when the test ends. */
export async function startOidcProvider(t: Test, clients: ComparedClients): Promise<ComparedServer> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const shared = {
    redirect_uris: [redirectUri],
    response_types: ['code' as const],
    scope: 'openid profile offline_access reports:read',
  };
  const confidential = ['client_credentials', 'authorization_code', 'refresh_token'];
  const provider = new Provider(issuer, {
    clients: [
      {
        ...shared,
        client_id: clients.post.clientId,
        client_secret: clients.post.clientSecret,
        grant_types: confidential,
        token_endpoint_auth_method: 'client_secret_post',
      },
      {
        ...shared,
        client_id: clients.basic.clientId,
        client_secret: clients.basic.clientSecret,
        grant_types: confidential,
        token_endpoint_auth_method: 'client_secret_basic',
      },
      {
        ...shared,
        client_id: clients.public.clientId,
        grant_types: ['authorization_code', 'refresh_token'],
        token_endpoint_auth_method: 'none',
      },
    ],
    scopes: ['openid', 'profile', 'offline_access', 'reports:read'],
    claims: { openid: ['sub'], profile: ['name'] },
    cookies: { keys: ['a key for tests'] },
    pkce: { required: () => true },
    rotateRefreshToken: true,
    features: {
      clientCredentials: { enabled: true },
      introspection: { enabled: true },
      pushedAuthorizationRequests: { enabled: true },
      revocation: { enabled: true },
      devInteractions: { enabled: false },
    },
    interactions: { url: () => '/sign_in' },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId, name: 'Ada Lovelace' }) }),
  });
  const server = http.createServer({ keepAliveTimeout: 0 }, provider.callback());
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  const client = (await provider.Client.find(clients.post.clientId)) as Client;

  async function issue(name: string): Promise<Values> {
    if (name === 'pushed') return pushTo(`${issuer}/request`, clients.post);
    if (name === 'own') {
      const token = new provider.ClientCredentials({ client, scope: 'reports:read' });
      return issued(name, await token.save());
    }
    const grant = new provider.Grant({ clientId: client.clientId, accountId: 'a user' });
    grant.addOIDCScope(`${scope} offline_access`);
    const granted = {
      client,
      accountId: 'a user',
      grantId: await grant.save(),
      gty: 'authorization_code',
      scope: `${scope} offline_access`,
      expiresWithSession: false,
    };
    const authTime = Math.floor(Date.now() / 1000);
    if (name === 'access') return issued(name, await new provider.AccessToken(granted).save());
    if (name === 'refresh') {
      const token = new provider.RefreshToken({ ...granted, authTime, iiat: authTime });
      return issued(name, await token.save());
    }
    const codeChallenge = createHash('sha256').update(verifier).digest('base64url');
    const code = new provider.AuthorizationCode({
      ...granted,
      authTime,
      redirectUri,
      codeChallenge,
      codeChallengeMethod: 'S256',
    });
    return { code: await code.save(), verifier };
  }

  return {
    endpoints: {
      authorize: `${issuer}/auth`,
      par: `${issuer}/request`,
      token: `${issuer}/token`,
      introspect: `${issuer}/token/introspection`,
      revoke: `${issuer}/token/revocation`,
      userinfo: `${issuer}/me`,
    },
    issue,
  };
}
