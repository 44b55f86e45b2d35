import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../clock.js';
import { accountScope, withScope } from '../database/scope.js';
import { auditOrigin } from '../http/audit-origin.js';
import { type BrowserSessions, csrfField } from '../http/browser-sessions.js';
import { Problem } from '../problems/problem.js';
import type { UserAuditContext } from '../services/audit-context.js';
import type { Reauthentication } from '../services/reauthentication.js';
import { reauthenticationSeconds } from '../services/sessions.js';
import type { User } from '../services/user.js';
import { Fields } from './fields.js';
import { keepForm, restoreField } from './kept-form.js';
import { type Page, renderPage } from './layout.js';
import { signInAddress } from './return-to.js';
import { privatePageHeaders } from './security-headers.js';

/** Request of a signed-in user for a page, or submission of a form. */
export interface PageContext {
  readonly user: User;
  /** User, origin and time of the request, for audit events. */
  readonly auditContext: UserAuditContext;
  /** Id of the session, which is a secret. */
  readonly sessionId: string;
  /** When the user last entered the password. */
  readonly authenticatedAt: Date;
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
      /** Value of the header `Retry-After`. */
      readonly retryAfterSeconds?: number;
      /** Whether the page may load the script. */
      readonly script?: boolean;
    }
  | { readonly redirect: string };

export type PageHandler = (context: PageContext) => Promise<PageResponse>;

/** The page on which a user enters the password again, before a form is processed. */
export interface ConfirmationRequest {
  readonly context: PageContext;
  /** Fields of the form, which the page submits again. */
  readonly fields: readonly (readonly [string, string])[];
  /** Why the password was rejected. */
  readonly error?: string;
}

/** Name of the field with the password of {@link ConfirmationRequest}. */
export const confirmationField = 'confirm_password';

interface SiteDependencies {
  readonly sessions: BrowserSessions;
  readonly clock: Clock;
  readonly reauthentication: Reauthentication;
  readonly confirmationPage: (request: ConfirmationRequest) => Page;
  /** The sign-in page, with a form whose session had expired. */
  readonly signInPage: (form: { csrfToken: string; returnTo: string; keptForm: string }) => Page;
}

/** Whether a user may see and change the settings of the account. */
export function isAdministrator({ role }: Pick<User, 'role'>): boolean {
  return role === 'owner' || role === 'admin';
}

/** Pages for signed-in users. Other users are redirected to the sign-in page, and back after signing in. */
export class Site {
  readonly #app: FastifyInstance;
  readonly #dependencies: SiteDependencies;
  readonly #administratorsOnly: boolean;

  constructor(app: FastifyInstance, dependencies: SiteDependencies, { administratorsOnly = false } = {}) {
    this.#app = app;
    this.#dependencies = dependencies;
    this.#administratorsOnly = administratorsOnly;
  }

  /** The same site, for owners and administrators; members get 403 `access_denied`. */
  forAdministrators(): Site {
    return new Site(this.#app, this.#dependencies, { administratorsOnly: true });
  }

  /** Adds a page. */
  get(path: string, handle: PageHandler): void {
    this.#app.get(path, { config: { page: true } }, (request, reply) => this.#serve(request, reply, handle));
  }

  /**
   * Adds the route of a form.
   *
   * @param options.confirmed whether the user must have entered the password in the last ten minutes. Otherwise the
   *   response is a page on which the user enters it, and which submits the form again. A function decides for each form.
   * @param options.restore shows the form with the values of a submission whose session had expired; absent: they are lost
   */
  post(
    path: string,
    handle: PageHandler,
    {
      confirmed = false,
      restore,
    }: { confirmed?: boolean | ((context: PageContext) => boolean); restore?: PageHandler } = {},
  ): void {
    const needsPassword = typeof confirmed === 'function' ? confirmed : () => confirmed;
    const checked: PageHandler = async (context) => {
      if (context.form.text(restoreField) !== '') return restore?.(context) ?? { redirect: context.path };
      return (needsPassword(context) ? await this.#confirmation(context) : null) ?? handle(context);
    };
    this.#app.post(path, { config: { page: true } }, (request, reply) =>
      this.#serve(request, reply, checked, { keep: restore !== undefined }),
    );
  }

  /** @throws {Problem} 403 `access_denied` when the CSRF token is wrong, or the user may not see the page */
  async #serve(
    request: FastifyRequest,
    reply: FastifyReply,
    handle: PageHandler,
    { keep = false }: { keep?: boolean } = {},
  ): Promise<FastifyReply> {
    const { sessions, clock } = this.#dependencies;
    const session = await sessions.session(request);
    reply.headers(privatePageHeaders());
    if (session === null && keep) {
      const page = this.#signInPage(request, reply);
      if (page !== null) return reply.code(401).type('text/html; charset=utf-8').send(renderPage(page));
    }
    if (session === null) return reply.redirect(signInAddress(returnAddress(request)), 303);
    if (request.method === 'POST') sessions.verifyCsrf(request);
    const { user } = session;
    if (this.#administratorsOnly && !isAdministrator(user)) {
      throw new Problem('access_denied', 'Only owners and administrators of the account can see this page.');
    }
    const parameters = request.params as Record<string, string>;
    const context: PageContext = {
      user,
      sessionId: session.id,
      authenticatedAt: session.authenticatedAt,
      auditContext: {
        accountId: user.accountId,
        userId: user.id,
        origin: auditOrigin(request),
        at: clock(),
      },
      path: pathOf(request),
      csrfToken: sessions.csrfToken(request, reply),
      query: new Fields(request.query),
      form: new Fields(request.body),
      parameter: (name) => parameters[name] ?? '',
    };
    const response = await withScope(accountScope(user.accountId), () => handle(context));
    if ('redirect' in response) return reply.redirect(response.redirect, 303);
    if (response.retryAfterSeconds !== undefined) reply.header('retry-after', response.retryAfterSeconds);
    return reply
      .code(response.status ?? 200)
      .headers(privatePageHeaders([], { script: response.script ?? false }))
      .type('text/html; charset=utf-8')
      .send(renderPage(response.page));
  }

  /**
   * The sign-in page with the submitted form; `null` when the form is too large, or was not created for a user of this
   * browser: another site may have submitted it.
   */
  #signInPage(request: FastifyRequest, reply: FastifyReply): Page | null {
    const { sessions, signInPage } = this.#dependencies;
    const form = new Fields(request.body);
    if (!sessions.csrfUser(request, form.secret(csrfField))) return null;
    const keptForm = keepForm(form);
    if (keptForm === null) return null;
    const csrfToken = sessions.csrfToken(request, reply);
    return signInPage({ csrfToken, returnTo: pathOf(request), keptForm });
  }

  /** The page on which the user enters the password; `null` when the user has entered it recently, or with this form. */
  async #confirmation(context: PageContext): Promise<PageResponse | null> {
    const { reauthentication, confirmationPage } = this.#dependencies;
    const { user, sessionId, authenticatedAt, auditContext, form } = context;
    const { origin, at } = auditContext;
    if (at.getTime() - authenticatedAt.getTime() < reauthenticationSeconds * 1000) return null;
    const fields = form.entries().filter(([name]) => name !== csrfField && name !== confirmationField);
    const password = form.secret(confirmationField);
    if (password === '') return { page: confirmationPage({ context, fields }) };
    const outcome = await reauthentication.confirm({ user, sessionId, password, origin });
    switch (outcome.kind) {
      case 'confirmed':
        return null;
      case 'wrong':
        return { status: 401, page: confirmationPage({ context, fields, error: 'Incorrect password.' }) };
      case 'rate_limited': {
        const { retryAfterSeconds } = outcome;
        const error = `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`;
        return { status: 429, retryAfterSeconds, page: confirmationPage({ context, fields, error }) };
      }
    }
  }
}

/** Where to return to after signing in: for a form, to its page. */
function returnAddress(request: FastifyRequest): string {
  return request.method === 'POST' ? pathOf(request) : request.url;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url;
}
