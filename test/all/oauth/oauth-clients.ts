import type { JWK } from 'jose';
import type { Test } from 'tap';
import { hiddenFields } from '../../support/browser/browser.js';
import { useKeys } from '../../support/oauth/client-keys.js';
import { createUser, type TestUser } from '../../support/oauth/users.js';
import { createApplication, createTenant, makeEmployees } from '../../support/records/tenant.js';
import { buildTestApp } from '../../support/server/app.js';
import { createTestClock, type TestClock } from '../../support/server/clock.js';
import { freePort } from '../../support/server/free-port.js';

export type AuthenticationMethod = 'none' | 'client_secret_post' | 'client_secret_basic';

/** The configuration of a client library. */
export interface ClientSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly method: AuthenticationMethod;
  readonly redirectUri: string;
}

export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string | undefined;
  readonly expires_in?: number | undefined;
  readonly scope?: string | undefined;
}

export type TokenKind = 'access_token' | 'refresh_token';

/** An authorization request whose response is pending. */
export interface PendingAuthorization {
  readonly url: URL;
  /** Reads the URL of the authorization response and exchanges its code. Can be repeated. */
  finish(callback: URL): Promise<Tokens>;
}

/** The functions of a client library that tests use. Functions that a library does not have use `fetch`. */
export interface OAuthClient {
  clientCredentials(scope: string): Promise<Tokens>;
  beginAuthorization(scope: string): Promise<PendingAuthorization>;
  refresh(refreshToken: string): Promise<Tokens>;
  revoke(token: string, kind: TokenKind): Promise<void>;
  /** The body of a successful response. @throws when the request is rejected */
  get(url: URL, accessToken: string): Promise<unknown>;
  /** The error code in the error of the library. */
  codeOf(error: unknown): unknown;
}

export interface ClientLibrary {
  readonly name: string;
  connect(settings: ClientSettings): Promise<OAuthClient>;
}

/** A server on its own port, with an account, three employees and an owner who can sign in. */
export interface LiveServer {
  readonly issuer: string;
  readonly employeesUrl: URL;
  readonly owner: TestUser;
  register(method: AuthenticationMethod): Promise<ClientSettings>;
  /** Registers a confidential application that authenticates with these public keys. */
  registerKeys(keys: readonly JWK[]): Promise<Omit<ClientSettings, 'clientSecret' | 'method'>>;
  /** Registers a sign-out redirect URI for an application. */
  registerSignOut(clientId: string, uri: string): Promise<void>;
  /** Makes the sign-ins of all sessions this much older. */
  ageSessions(seconds: number): Promise<void>;
}

/**
 * The time of the system, for libraries that sign with it: a server whose clock has stopped rejects their later assertions. Use it
 * only in tests whose result does not depend on the time.
 */
export const systemClock: TestClock = Object.assign(() => new Date(), {
  advanceSeconds() {
    throw new Error('The clock of the system cannot be advanced');
  },
});

/** @param clock default: stopped at the current time, because libraries compare the times in tokens with their own clock */
export async function startLiveServer(t: Test, clock = createTestClock(new Date())): Promise<LiveServer> {
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const api = await buildTestApp(t, {
    // These tests cause many failures from one address.
    environment: { BASE_URL: issuer, RATE_LIMIT_FAILURES: '0' },
    clock,
  });
  await api.app.listen({ host: '127.0.0.1', port });

  const { accountId } = await createTenant(api.database, { employees: makeEmployees(3) });
  const owner = await createUser(api.database, accountId);
  const redirectUri = 'http://localhost:8080/callback';
  return {
    issuer,
    employeesUrl: new URL('/v1/employees', issuer),
    owner,
    async register(method) {
      const { clientId, clientSecret } = await createApplication(api.database, accountId, {
        clientType: method === 'none' ? 'public' : 'confidential',
        redirectUris: [redirectUri],
      });
      return { issuer, clientId, clientSecret, method, redirectUri };
    },
    async registerKeys(keys) {
      const application = await createApplication(api.database, accountId, { redirectUris: [redirectUri] });
      await useKeys(api.database, application, keys);
      return { issuer, clientId: application.clientId, redirectUri };
    },
    async registerSignOut(clientId, uri) {
      const data = { postLogoutRedirectUris: [uri] };
      await api.database.prisma.application.updateMany({ where: { accountId, clientId }, data });
    },
    async ageSessions(seconds) {
      const { prisma } = api.database;
      for (const { idHash, authenticatedAt } of await prisma.session.findMany())
        await prisma.session.update({
          where: { idHash },
          data: { authenticatedAt: new Date(authenticatedAt.getTime() - seconds * 1000) },
        });
    },
  };
}

/** The final location of a browser: a page of the server, or a URL of another origin, which it does not open. */
export interface Visit {
  readonly url: URL;
  readonly html: string;
}

/** A browser without scripts that connects to a server over the network and keeps its cookies. */
export class NetworkBrowser {
  readonly #origin: string;
  readonly #cookies = new Map<string, string>();

  constructor(issuer: string) {
    this.#origin = new URL(issuer).origin;
  }

  /** Opens a URL and follows redirects within the server. */
  async open(url: URL, form?: Record<string, string>): Promise<Visit> {
    if (url.origin !== this.#origin) return { url, html: '' };
    const response = await fetch(url, {
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'text/html,application/xhtml+xml',
        cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      },
      redirect: 'manual',
      body: form === undefined ? null : new URLSearchParams(form),
    });
    for (const cookie of response.headers.getSetCookie()) this.#keep(cookie);
    const html = await response.text();
    const location = response.headers.get('location');
    if (location !== null) return this.open(new URL(location, url));
    if (response.status !== 200)
      throw new Error(`${url.pathname} responded with ${response.status}: ${html}`);
    return { url, html };
  }

  /** Submits the first form of a page, with its hidden fields and the given ones. */
  submit({ url, html }: Visit, fields: Record<string, string>): Promise<Visit> {
    const [form = ''] = /<form .*?<\/form>/s.exec(html) ?? [];
    const action = /action="([^"]*)"/.exec(form)?.[1];
    if (action === undefined) throw new Error(`${url.pathname} shows no form: ${html}`);
    return this.open(new URL(action.replaceAll('&amp;', '&'), url), { ...hiddenFields(form), ...fields });
  }

  /** Signs in, decides on the consent page, and returns the URL that the user is redirected to. */
  async decide(url: URL, { email, password }: TestUser, decision: 'allow' | 'deny'): Promise<URL> {
    const consentPage = await this.signIn(url, { email, password });
    return (await this.submit(consentPage, { decision })).url;
  }

  /** Signs in on the page that a URL redirects to, and returns the next location. */
  async signIn(url: URL, { email, password }: Pick<TestUser, 'email' | 'password'>): Promise<Visit> {
    return this.submit(await this.open(url), { email, password });
  }

  #keep(cookie: string): void {
    const [, name = '', value = ''] = /^([^=]*)=([^;]*)/.exec(cookie) ?? [];
    if (/;\s*max-age=0\b|;\s*expires=[^;]*\b1970\b/i.test(cookie)) this.#cookies.delete(name);
    else this.#cookies.set(name, value);
  }
}

/** Sends a request with `fetch`, for libraries without the function. An error response is thrown as {@link Refusal}. */
export async function call(url: URL, options?: RequestInit): Promise<unknown> {
  const response = await fetch(url, options);
  const body = (await response.json()) as { readonly code?: string };
  if (!response.ok) throw new Refusal(body.code);
  return body;
}

/** An error response, in an application whose library does not handle it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string | undefined;

  constructor(code: string | undefined) {
    super(`Refused: ${code}`);
    this.code = code;
  }
}

export function bearer(accessToken: string): { headers: { authorization: string } } {
  return { headers: { authorization: `Bearer ${accessToken}` } };
}

export function basicAuthorization({ clientId, clientSecret }: ClientSettings): string {
  return `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`;
}
