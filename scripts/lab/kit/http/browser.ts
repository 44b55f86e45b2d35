import { createHash, randomBytes } from 'node:crypto';
import { baseUrl } from '../paths.js';
import type { HttpResponse, Send } from './client.js';
import { type ClientCredentials, clientFields, postForm } from './requests.js';

/** An application that users can authorize. */
export interface RedirectingClient extends ClientCredentials {
  readonly redirectUri: string;
}

/** A browser without scripts: it keeps cookies and submits the forms of pages. */
export class Browser {
  readonly #send: Send;
  readonly #cookies = new Map<string, string>();

  constructor(send: Send) {
    this.#send = send;
  }

  async open(path: string): Promise<HttpResponse> {
    return this.#keepCookies(await this.#send({ path, headers: this.headers() }));
  }

  async submit(path: string, form: Record<string, string>): Promise<HttpResponse> {
    return this.#keepCookies(await this.#send(postForm(path, form, this.headers())));
  }

  /** Submits the form of a page, with its hidden fields and the given ones. */
  submitForm(page: HttpResponse, action: string, fields: Record<string, string>): Promise<HttpResponse> {
    return this.submit(action, { ...hiddenFields(page.body.toString()), ...fields });
  }

  /** @throws {Error} when the server rejects the password */
  async signIn({ email, password }: { email: string; password: string }): Promise<void> {
    const page = await this.open('/sign_in');
    const { status } = await this.submitForm(page, '/sign_in', { email, password });
    if (status !== 303) throw new Error(`The status of the sign-in is ${status}`);
  }

  /**
   * Opens the consent page of an application and allows access.
   *
   * @returns form: the token request that exchanges the code; response: the last one, if it has no code
   */
  async allow(
    client: RedirectingClient,
    scope: string,
  ): Promise<{ form: Record<string, string>; response?: never } | { form?: never; response: HttpResponse }> {
    const { clientId, redirectUri } = client;
    const verifier = randomBytes(32).toString('base64url');
    const path = authorizePath({ clientId, redirectUri, scope, verifier });
    const page = await this.open(path);
    if (page.status !== 200) return { response: page };
    const response = await this.submitForm(page, path, { decision: 'allow' });
    const location = response.headers.location ?? '';
    const code = location.startsWith(redirectUri) ? new URL(location).searchParams.get('code') : null;
    if (code === null) return { response };
    return {
      form: {
        grant_type: 'authorization_code',
        ...clientFields(client),
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      },
    };
  }

  /** The headers of its requests, with the cookies. */
  headers(): Record<string, string> {
    return {
      host: new URL(baseUrl).host,
      accept: 'text/html',
      cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    };
  }

  #keepCookies(response: HttpResponse): HttpResponse {
    for (const line of (response.headers['set-cookie'] ?? '').split('\n')) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined) this.#cookies.set(name, value);
    }
    return response;
  }
}

export function authorizePath({
  clientId,
  redirectUri,
  scope,
  verifier,
}: {
  clientId: string;
  redirectUri: string;
  scope: string;
  verifier: string;
}): string {
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state: randomBytes(8).toString('hex'),
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  return `/v1/oauth/authorize?${new URLSearchParams(parameters)}`;
}

/** Names and values of the hidden fields of a page. */
export function hiddenFields(html: string): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const [input] of html.matchAll(/<input type="hidden"[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(input)?.[1];
    const value = / value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (name !== undefined) fields[name] = value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  }
  return fields;
}
