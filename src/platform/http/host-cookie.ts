import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { randomSecret } from '../crypto/keyring.js';

/** A cookie that browsers send to this host only, for all paths. Scripts cannot read it. */
export class HostCookie {
  readonly name: string;
  readonly #options: CookieSerializeOptions;

  /** @param maxAge seconds; absent: until the browser exits */
  constructor(name: string, baseUrl: string, maxAge?: number) {
    const secure = baseUrl.startsWith('https://');
    // With the prefix browsers reject the cookie from another host, with another path, or over plain HTTP.
    this.name = `${secure ? '__Host-' : ''}${name}`;
    // Lax: identity providers and OAuth clients send users here from other sites.
    this.#options = { path: '/', httpOnly: true, sameSite: 'lax', secure, ...(maxAge && { maxAge }) };
  }

  read({ cookies }: FastifyRequest): string | undefined {
    return cookies[this.name];
  }

  set(reply: FastifyReply, value: string): void {
    reply.setCookie(this.name, value, this.#options);
  }

  clear(reply: FastifyReply): void {
    reply.clearCookie(this.name, this.#options);
  }
}

/** A cookie with a secret that identifies a browser. All its tabs share it. */
export class BrowserCookie extends HostCookie {
  /** The secret of the browser; `undefined` when it has none. */
  override read(request: FastifyRequest): string | undefined {
    const value = super.read(request) ?? '';
    return /^[\w-]{43}$/.test(value) ? value : undefined;
  }

  /** The secret of the browser, or a new one, which the caller sets. */
  secretOf(request: FastifyRequest): string {
    return this.read(request) ?? randomSecret();
  }
}
