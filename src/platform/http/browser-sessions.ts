import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ActiveSession, Sessions } from '../accounts/sessions.js';
import type { User } from '../accounts/user.js';
import type { AuditEvent } from '../audit/audit-log.js';
import { type AppSecrets, randomSecret, Signer } from '../crypto/keyring.js';
import type { CallerIds } from '../observability/request-watch.js';
import { Problem } from '../problems/problem.js';
import { HostCookie } from './host-cookie.js';
import { auditOrigin } from './principal.js';

/** Name of the form field with the CSRF token. */
export const csrfField = 'csrf_token';

/** The user of a page, and the CSRF token of its forms. */
export interface SignedInUser {
  readonly user: User;
  readonly csrfToken: string;
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Set when the session of the browser is found. Error pages read it, so that they need no query. */
    signedIn: SignedInUser | null;
  }
}

/** The session of a browser. Its id is a secret. */
export interface BrowserSession extends ActiveSession {
  readonly id: string;
  /** CSRF token for forms that need this session. */
  readonly csrfToken: string;
}

/**
 * Sessions of signed-in users, and CSRF protection of forms.
 *
 * Forms that need a session have a token of the session. Forms that need none, such as those of a sign-in, have a token of the
 * visitor: a random cookie, which outlives sessions. So a form that is submitted again after it has created, renewed or ended a
 * session is still accepted.
 */
export class BrowserSessions {
  readonly #sessions: Sessions;
  readonly #csrfSigner: Signer;
  readonly #sessionCookie: HostCookie;
  readonly #visitorCookie: HostCookie;

  constructor(sessions: Sessions, { appSecrets, baseUrl }: { appSecrets: AppSecrets; baseUrl: string }) {
    this.#sessions = sessions;
    this.#csrfSigner = new Signer(appSecrets, 'csrf');
    this.#sessionCookie = new HostCookie('session', baseUrl);
    this.#visitorCookie = new HostCookie('visitor', baseUrl);
  }

  /** The session of the browser, if its sign-in is complete; otherwise `null`. */
  async session(request: FastifyRequest): Promise<BrowserSession | null> {
    const session = await this.sessionOfAnyStage(request);
    return session?.stage === 'complete' ? session : null;
  }

  /** The session of the browser, or `null`. The second factor of the user may be missing: check its stage. */
  async sessionOfAnyStage(request: FastifyRequest): Promise<BrowserSession | null> {
    const id = this.#sessionCookie.read(request);
    const session = id === undefined ? null : await this.#sessions.find(id);
    if (id === undefined || session === null) return null;
    const { user, stage } = session;
    request.callerIds = { accountId: user.accountId, userId: user.id } satisfies CallerIds;
    const csrfToken = this.#tokenFor(id, user.id);
    if (stage === 'complete') request.signedIn = { user, csrfToken };
    return { ...session, id, csrfToken };
  }

  /** Whether the browser sends the cookie of a session, which may have ended. */
  sendsSession(request: FastifyRequest): boolean {
    return this.#sessionCookie.read(request) !== undefined;
  }

  /**
   * Sets the cookie of a new session and revokes the previous session of the browser.
   *
   * @returns the CSRF token for forms of the new session
   */
  async signIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { sessionId, user }: { sessionId: string; user: User },
  ): Promise<string> {
    request.callerIds = { accountId: user.accountId, userId: user.id };
    await this.#endCurrent(request);
    return this.renew(reply, { sessionId, user });
  }

  /**
   * Sets the cookie of a session whose id may be new.
   *
   * @returns the CSRF token for forms of the session
   */
  renew(reply: FastifyReply, { sessionId, user }: { sessionId: string; user: User }): string {
    this.#sessionCookie.set(reply, sessionId);
    return this.#tokenFor(sessionId, user.id);
  }

  /** Revokes the session of the browser and records the event. */
  async signOut(request: FastifyRequest, reply: FastifyReply, event?: AuditEvent): Promise<void> {
    await this.#endCurrent(request, event);
    this.#sessionCookie.clear(reply);
  }

  /**
   * CSRF token of the visitor, for a form that needs no session.
   *
   * @param userId the user whose form of an expired session this is; absent: none
   */
  csrfToken(request: FastifyRequest, reply: FastifyReply, userId = ''): string {
    let anchor = this.#visitorCookie.read(request);
    if (anchor === undefined) {
      anchor = randomSecret();
      this.#visitorCookie.set(reply, anchor);
      // For a second token of the same page.
      request.cookies[this.#visitorCookie.name] = anchor;
    }
    return this.#tokenFor(anchor, userId);
  }

  /**
   * The id of the user for whom a CSRF token of this browser was created, also after the session has expired: the browser
   * keeps its cookie. Empty for a form without a user; `null` when the token does not belong to this browser.
   */
  csrfUser(request: FastifyRequest, token: unknown): string | null {
    if (typeof token !== 'string') return null;
    const [userId = '', signature = ''] = token.split('.', 2);
    const anchors = [this.#sessionCookie.read(request), this.#visitorCookie.read(request)];
    return anchors.some((anchor) => this.#isSigned(anchor, userId, signature)) ? userId : null;
  }

  /**
   * Verifies the CSRF token of a form.
   *
   * @param session the session that the form needs, whose token it must have; absent: none
   * @throws {Problem} 403 `access_denied` when the form does not belong to this browser or session
   */
  verifyCsrf(request: FastifyRequest, session?: BrowserSession): void {
    const token = (request.body as Record<string, unknown> | undefined)?.[csrfField];
    const [userId = '', signature = ''] = String(token).split('.', 2);
    const accepted =
      session === undefined
        ? this.csrfUser(request, token) !== null
        : userId === session.user.id && this.#isSigned(session.id, userId, signature);
    if (accepted) return;
    throw new Problem(
      'access_denied',
      'This form has expired. Go back, reload the page and submit the form again.',
      {
        page: {
          heading: 'This form has expired',
          text: 'Go back, reload the page and submit the form again.',
        },
      },
    );
  }

  #isSigned(anchor: string | undefined, userId: string, signature: string): boolean {
    return anchor !== undefined && this.#csrfSigner.verifies(signedTextOf(anchor, userId), signature);
  }

  #tokenFor(anchor: string, userId: string): string {
    return `${userId}.${this.#csrfSigner.sign(signedTextOf(anchor, userId))}`;
  }

  async #endCurrent(request: FastifyRequest, event?: AuditEvent): Promise<void> {
    const current = this.#sessionCookie.read(request);
    if (current !== undefined) await this.#sessions.revoke(current, event);
  }
}

/** The cookie and the user of a CSRF token. JSON, so that no cookie value can be mistaken for another pair. */
function signedTextOf(anchor: string, userId: string): string {
  return JSON.stringify([anchor, userId]);
}

export function signOutEvent({ accountId, id: userId }: User, request: FastifyRequest): AuditEvent {
  return { type: 'sign_out', accountId, userId, origin: auditOrigin(request) };
}
