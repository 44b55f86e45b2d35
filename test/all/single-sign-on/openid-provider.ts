import { once } from 'node:events';
import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import Provider from 'oidc-provider';
import { freePort } from '../../support/server/free-port.js';
import { type Claims, clientId, clientSecret } from '../../support/single-sign-on/fake-provider.js';
import type { Test } from '../../support/tap.js';

/** The identity provider of an organization: oidc-provider with one client. Its users sign in with a form. */
export interface OpenIdProvider {
  readonly issuer: string;
  /** The person who signs in next. */
  person: Claims & { readonly sub: string };
}

/**
 * Starts oidc-provider, and stops it when the test ends.
 *
 * @param redirectUris redirect URIs of the client
 */
export async function startOpenIdProvider(
  t: Test,
  { redirectUris, person }: { redirectUris: string[]; person: Claims & { readonly sub: string } },
): Promise<OpenIdProvider> {
  const port = await freePort();
  const issuer = `http://localhost:${port}`;
  const state: OpenIdProvider = { issuer, person };
  const people = new Map<string, Claims>();
  const provider = new Provider(issuer, {
    clients: [{ client_id: clientId, client_secret: clientSecret, redirect_uris: redirectUris }],
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['given_name', 'family_name', 'name'],
    },
    cookies: { keys: ['a key for tests'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, sub) => ({ accountId: sub, claims: () => ({ ...people.get(sub), sub }) }),
    // The users have consented to this client.
    async loadExistingGrant(ctx) {
      const grant = new ctx.oidc.provider.Grant({
        clientId: ctx.oidc.client?.clientId ?? '',
        accountId: ctx.oidc.session?.accountId ?? '',
      });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
  });
  const handle = provider.callback();
  const server = http.createServer(
    { keepAliveTimeout: 0 },
    async (request: IncomingMessage, response: ServerResponse) => {
      if (!request.url?.startsWith('/interaction/')) return handle(request, response);
      if (request.method === 'GET')
        return response
          .writeHead(200, { 'content-type': 'text/html' })
          .end(
            '<!doctype html><title>Identity provider</title><form method="post"><button>Sign in here</button></form>',
          );
      people.set(state.person.sub, state.person);
      return provider.interactionFinished(request, response, { login: { accountId: state.person.sub } });
    },
  );
  server.listen(port, 'localhost');
  await once(server, 'listening');
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return state;
}

/** A browser at the identity provider. It keeps cookies. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>();

  /** Follows redirects and submits the sign-in form, until the identity provider sends the user back. Returns that URL. */
  async signIn(url: string, back: string): Promise<string> {
    let next = { url, method: 'GET' };
    for (let steps = 0; steps < 20; steps += 1) {
      if (next.url.startsWith(back)) return next.url;
      const response = await fetch(next.url, {
        method: next.method,
        redirect: 'manual',
        headers: { cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; ') },
      });
      for (const cookie of response.headers.getSetCookie()) {
        const [name = '', value = ''] = cookie.split(';', 1)[0]?.split(/=(.*)/s) ?? [];
        if (value === '') this.#cookies.delete(name);
        else this.#cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location !== null) next = { url: new URL(location, next.url).href, method: 'GET' };
      else if (next.method === 'GET' && response.status === 200) next = { ...next, method: 'POST' };
      else throw new Error(`${response.status} ${await response.text()}`);
    }
    throw new Error('Too many redirects');
  }
}
