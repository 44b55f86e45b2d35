import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomSecret } from '../../platform/crypto/keyring.js';
import { HostCookie } from '../../platform/http/host-cookie.js';
import { signInRequestSeconds } from './sign-in-requests.js';

/**
 * The secret of a browser that signs in at an identity provider. The response must arrive in the same browser: otherwise an
 * attacker could sign a user in as the attacker, or get a response of the user. Tabs share it.
 */
export class SsoStateCookie {
  readonly #cookie: HostCookie;

  constructor({ baseUrl }: { baseUrl: string }) {
    this.#cookie = new HostCookie('sign_in_browser', baseUrl, signInRequestSeconds);
  }

  /** The secret of the browser; empty when it has none. */
  read(request: FastifyRequest): string {
    const value = this.#cookie.read(request) ?? '';
    return /^[\w-]{43}$/.test(value) ? value : '';
  }

  /** Returns the secret of the browser, and sets a new one when it has none. */
  set(request: FastifyRequest, reply: FastifyReply): string {
    const secret = this.read(request) || randomSecret();
    this.#cookie.set(reply, secret);
    return secret;
  }
}
