import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reauthentication } from '../accounts/reauthentication.js';
import { SessionEndedError } from '../accounts/sessions.js';
import type { User } from '../accounts/user.js';
import type { Clock } from '../clock.js';
import { accountScope, withScope } from '../database/scope.js';
import { auditOrigin } from '../http/audit-origin.js';
import { type BrowserSession, type BrowserSessions, csrfField } from '../http/browser-sessions.js';
import { uploadLimits } from '../http/connections.js';
import type { CsvDownloads } from '../http/csv-downloads.js';
import { abortOnDisconnect } from '../http/disconnect.js';
import { acceptUploads, drainRequest, receiveFile, type UploadedFile } from '../http/file-upload.js';
import { Problem } from '../problems/problem.js';
import { questionFor } from './confirm-password.js';
import { inRequestedFormat } from './csv-formats.js';
import { Fields } from './fields.js';
import { keepForm, restoreField } from './kept-form.js';
import { type Page, renderPage } from './layout.js';
import { pageActions, recentPasswordOf } from './page-actions.js';
import {
  type CsvFile,
  confirmationField,
  isAdministrator,
  type PageContext,
  type PageHandler,
  type PageResponse,
  type PasswordQuestion,
} from './page-context.js';
import { signInAddress } from './paths.js';
import { privatePageHeaders } from './security-headers.js';

interface SiteDependencies {
  readonly sessions: BrowserSessions;
  readonly clock: Clock;
  readonly reauthentication: Reauthentication;
  readonly downloads: CsvDownloads;
  readonly confirmationPage: (context: PageContext, question: PasswordQuestion) => Page;
  /** The sign-in page, with the form of an expired session. */
  readonly signInPage: (form: { csrfToken: string; returnTo: string; keptForm: string }) => Promise<Page>;
}

/** Pages for signed-in users. Other users are redirected to the sign-in page, and back after signing in. */
export class PageRouter {
  readonly #app: FastifyInstance;
  readonly #dependencies: SiteDependencies;
  readonly #administratorsOnly: boolean;
  readonly #enrolment: boolean;

  constructor(
    app: FastifyInstance,
    dependencies: SiteDependencies,
    { administratorsOnly = false, enrolment = false } = {},
  ) {
    this.#app = app;
    this.#dependencies = dependencies;
    this.#administratorsOnly = administratorsOnly;
    this.#enrolment = enrolment;
  }

  /** The same site, for owners and administrators; members get 403 `access_denied`. */
  forAdministrators(): PageRouter {
    return new PageRouter(this.#app, this.#dependencies, { administratorsOnly: true });
  }

  /** The same site, also for users who have to set up a second factor before their sign-in is complete. */
  forEnrolment(): PageRouter {
    return new PageRouter(this.#app, this.#dependencies, { enrolment: true });
  }

  /** Adds a page. The table {@link pageActions} decides whether the user must have entered the password before. */
  get(path: string, handle: PageHandler): void {
    const checked: PageHandler =
      pageActions[path]?.[0] === 'page'
        ? async (context) => (await this.#confirmation(context)) ?? handle(context)
        : handle;
    this.#app.get(path, { config: { page: true } }, (request, reply) => this.#serve(request, reply, checked));
  }

  /** Adds a CSV table that the browser stores as a file, with `?format=excel` for Excel. */
  download(path: string, handle: (context: PageContext) => Promise<CsvFile>): void {
    const formatted = async (context: PageContext) => inRequestedFormat(await handle(context), context.query);
    this.#app.get(path, { config: { page: true } }, (request, reply) =>
      this.#serve(request, reply, formatted),
    );
  }

  /**
   * Adds the route of a form. The table {@link pageActions} decides whether the user must have entered the password in the
   * last ten minutes. Otherwise the response is a page on which the user enters it, and which submits the form again.
   *
   * @param options.restore shows the form with the values of a submission of an expired session; absent: they are lost
   */
  post(path: string, handle: PageHandler, { restore }: { restore?: PageHandler } = {}): void {
    const needsPassword = recentPasswordOf(path) === 'form';
    const checked: PageHandler = async (context) => {
      if (context.form.text(restoreField) !== '') return restore?.(context) ?? { redirect: context.path };
      return (needsPassword ? await this.#confirmation(context) : null) ?? handle(context);
    };
    this.#app.post(path, { config: { page: true } }, (request, reply) =>
      this.#serve(request, reply, checked, { keep: restore !== undefined }),
    );
  }

  /**
   * Adds the route of a form with a file as its last field. The CSRF token must be before the file. The answer to the
   * question for the password, which precedes the page of the form, has no file.
   *
   * @param options.maximumBytes of the file; the content ends after it
   */
  upload(
    path: string,
    handle: (context: PageContext, file: UploadedFile | null) => Promise<PageResponse>,
    { maximumBytes }: { maximumBytes: number },
  ): void {
    const answer: PageHandler = async (context) =>
      (await this.#confirmation(context)) ?? { redirect: context.path };
    this.#app.register(async (scope) => {
      await acceptUploads(scope);
      scope.post(path, { config: { page: true } }, async (request, reply) => {
        // The body of a form with a file has not been read yet.
        if (Object.hasOwn(Object(request.body), confirmationField))
          return await this.#serve(request, reply, answer);
        const receive = () => receiveFile(request, { maximumBytes, limits: uploadLimits });
        try {
          return await this.#serve(request, reply, handle, { receive });
        } finally {
          drainRequest(request);
        }
      });
    });
  }

  /** @throws {Problem} 403 `access_denied` when the CSRF token is wrong, or the user may not see the page */
  async #serve(
    request: FastifyRequest,
    reply: FastifyReply,
    handle: (context: PageContext, file: UploadedFile | null) => Promise<PageResponse | CsvFile>,
    { keep = false, receive }: { keep?: boolean; receive?: () => Promise<UploadedFile | null> } = {},
  ): Promise<FastifyReply> {
    const { sessions, clock } = this.#dependencies;
    const session = await this.#session(request);
    reply.headers(privatePageHeaders());
    if (session === null && keep) {
      const page = await this.#signInPage(request, reply);
      if (page !== null) {
        reply
          .code(401)
          .headers(privatePageHeaders({ script: true }))
          .type('text/html; charset=utf-8');
        return reply.send(renderPage(page));
      }
    }
    if (session === null) return reply.redirect(signInAddress(returnAddress(request)), 303);
    const file = (await receive?.()) ?? null;
    if (request.method === 'POST') sessions.verifyCsrf(request, session);
    const { user } = session;
    if (this.#administratorsOnly && !isAdministrator(user)) {
      throw new Problem('access_denied', 'Only owners and administrators of the account can see this page.');
    }
    const parameters = request.params as Record<string, string>;
    const context: PageContext = {
      user,
      sessionId: session.id,
      authenticatedAt: session.authenticatedAt,
      singleSignOn: session.singleSignOn,
      stage: session.stage,
      userAgent: request.headers['user-agent'],
      auditContext: {
        accountId: user.accountId,
        userId: user.id,
        origin: auditOrigin(request),
        at: clock(),
      },
      path: pathOf(request),
      csrfToken: session.csrfToken,
      query: new Fields(request.query),
      form: new Fields(request.body),
      disconnected: () => abortOnDisconnect(reply.raw).signal,
      withSession(sessionId) {
        return { ...this, sessionId, csrfToken: sessions.renew(reply, { sessionId, user }) };
      },
      parameter: (name) => parameters[name] ?? '',
    };
    const response = await withScope(accountScope(user.accountId), () => handle(context, file)).catch(
      (error): PageResponse | CsvFile => {
        if (error instanceof SessionEndedError) return { redirect: signInAddress(returnAddress(request)) };
        throw error;
      },
    );
    if ('redirect' in response) return reply.redirect(response.redirect, 303);
    if ('make' in response) return await this.#sendFile(request, reply, { ...response, ...user });
    if (response.retryAfterSeconds !== undefined) reply.header('retry-after', response.retryAfterSeconds);
    if (response.refreshSeconds !== undefined) reply.header('refresh', response.refreshSeconds);
    return reply
      .code(response.status ?? 200)
      .headers(privatePageHeaders({ script: response.script ?? false }))
      .type('text/html; charset=utf-8')
      .send(renderPage(response.page));
  }

  /** @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable` */
  async #sendFile(
    request: FastifyRequest,
    reply: FastifyReply,
    { fileName, make, accountId }: CsvFile & Pick<User, 'accountId'>,
  ): Promise<FastifyReply> {
    // HEAD needs no table.
    const body =
      request.method === 'HEAD'
        ? Readable.from([])
        : await this.#dependencies.downloads.begin({ accountId, request, reply, make });
    return reply
      .type('text/csv; charset=utf-8; header=present')
      .header('content-disposition', `attachment; filename="${fileName}"`)
      .send(body);
  }

  async #session(request: FastifyRequest): Promise<BrowserSession | null> {
    const { sessions } = this.#dependencies;
    if (!this.#enrolment) return await sessions.session(request);
    const session = await sessions.sessionOfAnyStage(request);
    return session?.stage === 'second_factor' ? null : session;
  }

  /**
   * The sign-in page with the submitted form; `null` when the form is too large, or was not created for a user of this
   * browser: another site may have submitted it.
   */
  async #signInPage(request: FastifyRequest, reply: FastifyReply): Promise<Page | null> {
    const { sessions, signInPage } = this.#dependencies;
    const form = new Fields(request.body);
    const userId = sessions.csrfUser(request, form.secret(csrfField));
    if (!userId) return null;
    const keptForm = keepForm(form, sessions.csrfToken(request, reply, userId));
    if (keptForm === null) return null;
    const csrfToken = sessions.csrfToken(request, reply);
    return await signInPage({ csrfToken, returnTo: pathOf(request), keptForm });
  }

  /** The page on which the user enters the password; `null` when the user has entered it recently, or with this form. */
  async #confirmation(context: PageContext): Promise<PageResponse | null> {
    const { reauthentication, confirmationPage } = this.#dependencies;
    const question = await questionFor(reauthentication, {
      ...context,
      context: context.auditContext,
      signal: context.disconnected(),
    });
    return question === null ? null : { ...question, page: confirmationPage(context, question) };
  }
}

/** The page after signing in; for a form, its page. */
function returnAddress(request: FastifyRequest): string {
  return request.method === 'POST' ? pathOf(request) : request.url;
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0] ?? url;
}
