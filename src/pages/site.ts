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

/** A signed-in person who asks for a page or sends a form. */
export interface Visit {
  readonly user: User;
  /** Who acts, where from and when, for what the person does. */
  readonly auditContext: UserAuditContext;
  readonly path: string;
  readonly csrfToken: string;
  readonly query: Fields;
  /** Without fields where nothing was sent. */
  readonly form: Fields;
  /** A placeholder of the route's path. */
  parameter(name: string): string;
}

/** What a visit leads to: a page, or another address of the site. */
export type PageResponse =
  | {
      readonly page: Page;
      readonly status?: number;
      /** Lets the page load our own script. */
      readonly script?: boolean;
    }
  | { readonly goTo: string };

export type Visited = (visit: Visit) => Promise<PageResponse>;

/** Whether a person may see and change the settings of the whole account. */
export function isAdministrator({ role }: Pick<User, 'role'>): boolean {
  return role === 'owner' || role === 'admin';
}

/** Pages for people who are signed in. Whoever is not is asked to sign in, and comes back. */
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

  /** A page that can be looked at. */
  get(path: string, visited: Visited): void {
    this.#app.get(path, { config: { page: true } }, (request, reply) => this.#serve(request, reply, visited));
  }

  /** A form that can be sent from one of our own pages. */
  post(path: string, visited: Visited): void {
    this.#app.post(path, { config: { page: true } }, (request, reply) =>
      this.#serve(request, reply, visited),
    );
  }

  /** @throws {Problem} 403 `access_denied` when the form is not from our page, or the page is not theirs to see */
  async #serve(request: FastifyRequest, reply: FastifyReply, visited: Visited): Promise<FastifyReply> {
    const user = await this.#sessions.user(request);
    reply.headers(privatePageHeaders());
    if (user === null) return reply.redirect(signInAddress(request), 303);
    if (request.method === 'POST') this.#sessions.verifyCsrf(request);
    if (this.#administratorsOnly && !isAdministrator(user)) {
      throw new Problem('access_denied', 'Only owners and administrators of the account can see this page.');
    }
    const parameters = request.params as Record<string, string>;
    const visit: Visit = {
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
    const response = await withScope(accountScope(user.accountId), () => visited(visit));
    if ('goTo' in response) return reply.redirect(response.goTo, 303);
    return reply
      .code(response.status ?? 200)
      .headers(privatePageHeaders([], { script: response.script ?? false }))
      .type('text/html; charset=utf-8')
      .send(renderPage(response.page));
  }
}

/** A form that was sent after the session ended leads back to its page; what was typed is lost. */
function signInAddress(request: FastifyRequest): string {
  const returnTo = request.method === 'POST' ? pathOf(request) : request.url;
  return `/sign_in?return_to=${encodeURIComponent(returnTo)}`;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url;
}
