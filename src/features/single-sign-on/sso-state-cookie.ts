import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomSecret } from '../../platform/crypto/keyring.js';
import { signInRequestSeconds } from './sign-in-requests.js';

/**
 * The secret of a browser that signs in at an identity provider. The response must arrive in the same browser: otherwise an
 * attacker could sign a user in as the attacker, or get a response of the user. Tabs share it.
 */
export class SsoStateCookie {
  readonly #name: string;
  readonly #options: CookieSerializeOptions;

  constructor({ baseUrl }: { baseUrl: string }) {
    const secure = baseUrl.startsWith('https://');
    // With the prefix browsers reject the cookie from another host.
    this.#name = `${secure ? '__Host-' : ''}sign_in_browser`;
    // Lax: the identity provider sends the user back from another site.
    this.#options = { path: '/', httpOnly: true, sameSite: 'lax', secure, maxAge: signInRequestSeconds };
  }

  /** The secret of the browser; empty when it has none. */
  read({ cookies }: FastifyRequest): string {
    const value = cookies[this.#name] ?? '';
    return /^[\w-]{43}$/.test(value) ? value : '';
  }

  /** Returns the secret of the browser, and sets a new one when it has none. */
  set(request: FastifyRequest, reply: FastifyReply): string {
    const secret = this.read(request) || randomSecret();
    reply.setCookie(this.#name, secret, this.#options);
    return secret;
  }
}
