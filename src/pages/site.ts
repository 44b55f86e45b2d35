import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.js';
import { accountScope, withScope } from '../database/scope.js';
import { auditOrigin } from '../http/audit-origin.js';
import type { BrowserSessions } from '../http/browser-sessions.js';
import { Problem } from '../problems/problem.js';
import type { UserAuditContext } from '../services/audit-context.js';
import type { User } from '../services/user.js';
import { Fields } from './fields.js';
import { type Page, renderPage } from './layout.js';
import { privatePageHeaders } from './security-headers.js';

/** Request of a signed-in user for a page, or submission of a form. */
export interface PageContext {
  readonly user: User;
  /** User, origin and time of the request, for audit events. */
  readonly auditContext: UserAuditContext;
  readonly path: string;
  readonly csrfToken: string;
  readonly query: Fields;
  /** Empty without a form. */
  readonly form: Fields;
  /** Value of a path parameter. */
  parameter(name: string): string;
}

/** Response to a request: a page, or a redirect within the site. */
export type PageResponse =
  | {
      readonly page: Page;
      readonly status?: number;
      /** Whether the page may load the script. */
      readonly script?: boolean;
    }
  | { readonly redirect: string };

export type PageHandler = (context: PageContext) => Promise<PageResponse>;

/** Whether a user may see and change the settings of the account. */
export function isAdministrator({ role }: Pick<User, 'role'>): boolean {
  return role === 'owner' || role === 'admin';
}

/** Pages for signed-in users. Other users are redirected to the sign-in page, and back after signing in. */
export class Site {
  readonly #app: FastifyInstance;
  readonly #sessions: BrowserSessions;
  readonly #clock: Clock;
  readonly #administratorsOnly: boolean;

  constructor(
    app: FastifyInstance,
    { sessions, clock }: { sessions: BrowserSessions; clock: Clock },
    { administratorsOnly = false } = {},
  ) {
    this.#app = app;
    this.#sessions = sessions;
    this.#clock = clock;
    this.#administratorsOnly = administratorsOnly;
  }

  /** The same site, for owners and administrators; members get 403 `access_denied`. */
  forAdministrators(): Site {
    const dependencies = { sessions: this.#sessions, clock: this.#clock };
    return new Site(this.#app, dependencies, { administratorsOnly: true });
  }

  /** Adds a page. */
  get(path: string, handle: PageHandler): void {
    this.#app.get(path, { config: { page: true } }, (request, reply) => this.#serve(request, reply, handle));
  }

  /** Adds the route of a form. */
  post(path: string, handle: PageHandler): void {
    this.#app.post(path, { config: { page: true } }, (request, reply) => this.#serve(request, reply, handle));
  }

  /** @throws {Problem} 403 `access_denied` when the CSRF token is wrong, or the user may not see the page */
  async #serve(request: FastifyRequest, reply: FastifyReply, handle: PageHandler): Promise<FastifyReply> {
    const user = await this.#sessions.user(request);
    reply.headers(privatePageHeaders());
    if (user === null) return reply.redirect(signInAddress(request), 303);
    if (request.method === 'POST') this.#sessions.verifyCsrf(request);
    if (this.#administratorsOnly && !isAdministrator(user)) {
      throw new Problem('access_denied', 'Only owners and administrators of the account can see this page.');
    }
    const parameters = request.params as Record<string, string>;
    const context: PageContext = {
      user,
      auditContext: {
        accountId: user.accountId,
        userId: user.id,
        origin: auditOrigin(request),
        at: this.#clock(),
      },
      path: pathOf(request),
      csrfToken: this.#sessions.csrfToken(request, reply),
      query: new Fields(request.query),
      form: new Fields(request.body),
      parameter: (name) => parameters[name] ?? '',
    };
    const response = await withScope(accountScope(user.accountId), () => handle(context));
    if ('redirect' in response) return reply.redirect(response.redirect, 303);
    return reply
      .code(response.status ?? 200)
      .headers(privatePageHeaders([], { script: response.script ?? false }))
      .type('text/html; charset=utf-8')
      .send(renderPage(response.page));
  }
}

/** Path of the sign-in page with `return_to`. The content of a form that is submitted after the session expired is lost. */
function signInAddress(request: FastifyRequest): string {
  const returnTo = request.method === 'POST' ? pathOf(request) : request.url;
  return `/sign_in?return_to=${encodeURIComponent(returnTo)}`;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url;
}
