import { randomBytes } from 'node:crypto';
import type { CookieSerializeOptions } from '@fastify/cookie';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problems/problem.js';
import type { AuditEvent } from '../services/audit-log.js';
import { type AppSecrets, deriveKeyring, isSignature, type Keyring, signText } from '../services/keyring.js';
import type { Sessions } from '../services/sessions.js';
import type { User } from '../services/user.js';

/** Name of the form field that proves that a form came from one of our own pages. */
export const csrfField = 'csrf_token';

/**
 * What ties a browser to the server: the session of a signed-in user, and the proof in every form that it was
 * our page that sent it.
 */
export class BrowserSessions {
  readonly #sessions: Sessions;
  readonly #csrfKeys: Keyring;
  readonly #cookie: CookieSerializeOptions;
  readonly #sessionCookie: string;
  readonly #visitorCookie: string;

  constructor(sessions: Sessions, { appSecrets, baseUrl }: { appSecrets: AppSecrets; baseUrl: string }) {
    const secure = baseUrl.startsWith('https://');
    // The prefix makes browsers refuse the cookie from any other host, path or plain http.
    const prefix = secure ? '__Host-' : '';
    this.#sessions = sessions;
    this.#csrfKeys = deriveKeyring(appSecrets, 'csrf');
    this.#cookie = { path: '/', httpOnly: true, sameSite: 'lax', secure };
    this.#sessionCookie = `${prefix}session`;
    this.#visitorCookie = `${prefix}visitor`;
  }

  /** The signed-in user, or `null`. */
  async user(request: FastifyRequest): Promise<User | null> {
    const id = request.cookies[this.#sessionCookie];
    const user = id === undefined ? null : await this.#sessions.find(id);
    if (user !== null) request.party = { accountId: user.accountId, userId: user.id };
    return user;
  }

  /** Makes a new session the one of this browser, and ends the session that the browser had before. */
  async signIn(request: FastifyRequest, reply: FastifyReply, sessionId: string): Promise<void> {
    await this.#endCurrent(request);
    reply
      .setCookie(this.#sessionCookie, sessionId, this.#cookie)
      .clearCookie(this.#visitorCookie, this.#cookie);
  }

  /** Ends the session of this browser, together with the event that tells of it. */
  async signOut(request: FastifyRequest, reply: FastifyReply, event?: AuditEvent): Promise<void> {
    await this.#endCurrent(request, event);
    reply.clearCookie(this.#sessionCookie, this.#cookie);
  }

  /** Value for the CSRF field of a form that is about to be shown to this browser. */
  csrfToken(request: FastifyRequest, reply: FastifyReply): string {
    let anchor = this.#csrfAnchor(request);
    if (anchor === undefined) {
      anchor = randomBytes(32).toString('base64url');
      reply.setCookie(this.#visitorCookie, anchor, this.#cookie);
    }
    return signText(this.#csrfKeys, anchor);
  }

  /**
   * Accepts a form only from a page that was made for this very browser.
   *
   * @throws {Problem} 403 `access_denied`
   */
  verifyCsrf(request: FastifyRequest): void {
    const anchor = this.#csrfAnchor(request);
    const given = (request.body as Record<string, unknown> | undefined)?.[csrfField];
    if (anchor === undefined || typeof given !== 'string' || !isSignature(this.#csrfKeys, anchor, given)) {
      throw new Problem(
        'access_denied',
        'This form is no longer valid. Go back, load the page again and repeat what you did.',
      );
    }
  }

  /** The cookie that forms are tied to: the session, or a random one before there is a session. */
  #csrfAnchor({ cookies }: FastifyRequest): string | undefined {
    return cookies[this.#sessionCookie] ?? cookies[this.#visitorCookie];
  }

  async #endCurrent({ cookies }: FastifyRequest, event?: AuditEvent): Promise<void> {
    const current = cookies[this.#sessionCookie];
    if (current !== undefined) await this.#sessions.end(current, event);
  }
}
