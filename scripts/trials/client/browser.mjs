import { createHash, randomBytes } from 'node:crypto';
import { baseUrl } from '../../bench/root.mjs';
import { postForm } from './requests.mjs';

/** A browser without scripts: it keeps cookies and sends the forms that are on pages. */
export class Browser {
  #send;
  #cookies = new Map();

  /** @param {(request: object) => Promise<import('./answer-reader.mjs').HttpAnswer>} send */
  constructor(send) {
    this.#send = send;
  }

  async open(path) {
    return this.#keep(await this.#send({ path, headers: this.#headers() }));
  }

  async submit(path, form) {
    return this.#keep(await this.#send(postForm(path, form, this.#headers())));
  }

  /** Sends the form of a page that goes to this path, with its hidden fields and what the user adds. */
  async submitForm(page, action, fields) {
    return this.submit(action, { ...hiddenFields(page.body.toString()), ...fields });
  }

  /** @throws {Error} where the server does not take the password */
  async signIn({ email, password }) {
    const page = await this.open('/sign_in');
    const answer = await this.submitForm(page, '/sign_in', { email, password });
    if (answer.status !== 303) throw new Error(`Signing in was answered with ${answer.status}`);
  }

  /**
   * Opens the consent page for an application and presses Allow.
   *
   * @returns {Promise<{ form: Record<string, string> } | { answer: import('./answer-reader.mjs').HttpAnswer }>} the
   *   form that trades the code; or the answer, where it was none with a code
   */
  async allow({ clientId, clientSecret, redirectUri }, scope) {
    const verifier = randomBytes(32).toString('base64url');
    const path = authorizePath({ clientId, redirectUri, scope, verifier });
    const page = await this.open(path);
    if (page.status !== 200) return { answer: page };
    const answer = await this.submitForm(page, path, { decision: 'allow' });
    const location = answer.headers.location ?? '';
    const code = location.startsWith(redirectUri) ? new URL(location).searchParams.get('code') : null;
    if (code === null) return { answer };
    return {
      form: {
        grant_type: 'authorization_code',
        client_id: clientId,
        ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
        redirect_uri: redirectUri,
        code,
        code_verifier: verifier,
      },
    };
  }

  #headers() {
    return {
      host: new URL(baseUrl).host,
      accept: 'text/html',
      cookie: [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    };
  }

  #keep(answer) {
    for (const line of (answer.headers['set-cookie'] ?? '').split('\n')) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (name !== undefined) this.#cookies.set(name, value);
    }
    return answer;
  }
}

export function authorizePath({ clientId, redirectUri, scope, verifier }) {
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
export function hiddenFields(html) {
  const fields = {};
  for (const [input] of html.matchAll(/<input type="hidden"[^>]*>/g)) {
    const name = / name="([^"]*)"/.exec(input)?.[1];
    const value = / value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (name !== undefined) fields[name] = value.replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  }
  return fields;
}
