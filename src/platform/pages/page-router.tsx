import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Reauthentication } from '../accounts/reauthentication.js';
import { SessionEndedError } from '../accounts/sessions.js';
import type { User } from '../accounts/user.js';
import type { Clock } from '../clock.js';
import { accountScope, withScope } from '../database/scope.js';
import { type BrowserSession, type BrowserSessions, csrfField } from '../http/browser-sessions.js';
import { uploadLimits } from '../http/connections.js';
import type { CsvDownloads } from '../http/csv-downloads.js';
import { abortOnDisconnect } from '../http/disconnect.js';
import { acceptUploads, drainRequest, receiveFile, type UploadedFile } from '../http/file-upload.js';
import { auditOrigin } from '../http/principal.js';
import { type Audience, checkAudience, directorySection, type Section } from './audience.js';
import { confirmationPage, questionFor } from './confirm-password.js';
import { inRequestedFormat } from './csv-formats.js';
import { Fields } from './fields.js';
import { keepForm, restoreField } from './kept-form.js';
import { type Page, requestingScripts, sendPage } from './layout.js';
import {
  type CsvFile,
  confirmationField,
  type FormPassword,
  type PageContext,
  type PageHandler,
  type PageResponse,
  requestPath,
} from './page-context.js';
import { signInAddress } from './paths.js';
import { privatePageHeaders } from './security-headers.js';
import { SitePage } from './site-page.js';

interface SiteDependencies {
  readonly sessions: BrowserSessions;
  readonly clock: Clock;
  readonly reauthentication: Reauthentication;
  readonly downloads: CsvDownloads;
  /** The settings pages, in the order of their navigation. */
  readonly settingsPages: readonly Section[];
  /** The sign-in page, with the form of an expired session. */
  readonly signInPage: (form: { csrfToken: string; returnTo: string; keptForm: string }) => Promise<Page>;
}

interface PageScope {
  readonly section: Section;
  readonly audience: Audience;
  /** Whether users see the pages who have to set up a second factor before their sign-in is complete. */
  readonly enrolment: boolean;
}

interface FormOptions {
  readonly recentPassword: FormPassword;
  /** Shows the form with the values of a submission of an expired session; absent: they are lost. */
  readonly restore?: PageHandler | undefined;
}

/** What the handler of a request needs besides the session. */
interface RequestOptions {
  /** Whether the form of an expired session is kept. */
  readonly keep?: boolean;
  readonly receive?: () => Promise<UploadedFile | null>;
}

/** Pages for signed-in users. Other users are redirected to the sign-in page, and back after signing in. */
export class PageRouter {
  readonly #app: FastifyInstance;
  readonly #dependencies: SiteDependencies;
  readonly #scope: PageScope;

  constructor(
    app: FastifyInstance,
    dependencies: SiteDependencies,
    scope: PageScope = { section: directorySection, audience: 'users', enrolment: false },
  ) {
    this.#app = app;
    this.#dependencies = dependencies;
    this.#scope = scope;
  }

  /** The same site, for owners and administrators; members get 403 `access_denied`. */
  forAdministrators(): PageRouter {
    return this.#within({ audience: 'administrators' });
  }

  /** The same site, also for users who have to set up a second factor before their sign-in is complete. */
  forEnrolment(): PageRouter {
    return this.#within({ enrolment: true });
  }

  /** The pages of a section, for its audience. */
  forSection(section: Section): PageRouter {
    return this.#within({ section, audience: section.audience });
  }

  #within(scope: Partial<PageScope>): PageRouter {
    return new PageRouter(this.#app, this.#dependencies, { ...this.#scope, ...scope });
  }

  /** Adds a page, which is shown with the frame of its section. */
  get(path: string, handle: PageHandler): void {
    this.#app.get(path, (request, reply) => this.#serve(request, reply, handle));
  }

  /** Adds a CSV table that the browser stores as a file, with `?format=excel` or `?format=xlsx` for Excel. */
  download(path: string, handle: (context: PageContext) => Promise<CsvFile>): void {
    const formatted = async (context: PageContext) =>
      inRequestedFormat(await handle(context), context.query, context.languages);
    this.#app.get(path, (request, reply) => this.#serve(request, reply, formatted));
  }

  /**
   * Adds the route of a form. If it needs a recent password and the user has entered none in the last ten minutes, the
   * response is a page on which the user enters it, and which submits the form again.
   */
  post(path: string, handle: PageHandler, { recentPassword, restore }: FormOptions): void {
    const needsPassword = recentPassword[0] === 'form';
    const checked: PageHandler = async (context) => {
      if (context.form.text(restoreField) !== '') return restore?.(context) ?? { redirect: context.path };
      return (needsPassword ? await this.#confirmation(context) : null) ?? handle(context);
    };
    this.#app.post(path, { config: { recentPassword } }, (request, reply) =>
      this.#serve(request, reply, checked, { keep: restore !== undefined }),
    );
  }

  /**
   * Adds a page with a form that has a file as its last field. The CSRF token must be before the file. The question for the
   * password precedes the page, because it has no file.
   *
   * @param show the page
   * @param maximumBytes of the file; the content ends after it
   */
  upload(
    path: string,
    handle: (context: PageContext, file: UploadedFile | null) => Promise<PageResponse>,
    {
      show,
      maximumBytes,
      reason,
    }: { readonly show: PageHandler; readonly maximumBytes: number; readonly reason: string },
  ): void {
    const confirm: PageHandler = async (context) =>
      (await this.#confirmation(context)) ?? { redirect: context.path };
    this.get(path, async (context) => (await this.#confirmation(context)) ?? show(context));
    this.#app.register(async (scope) => {
      await acceptUploads(scope);
      const config = { recentPassword: ['page', reason] as const };
      scope.post(path, { config }, async (request, reply) => {
        // The body of a form with a file has not been read yet.
        if (Object.hasOwn(Object(request.body), confirmationField))
          return await this.#serve(request, reply, confirm);
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
    { keep = false, receive }: RequestOptions = {},
  ): Promise<FastifyReply> {
    const session = await this.#session(request);
    reply.headers(privatePageHeaders());
    if (session === null) return await this.#askToSignIn(request, reply, keep);
    const file = (await receive?.()) ?? null;
    if (request.method === 'POST') this.#dependencies.sessions.verifyCsrf(request, session);
    checkAudience(this.#scope.audience, session.user);
    const context = this.#contextOf(request, reply, session);
    try {
      const scope = accountScope(session.user.accountId);
      const response = await withScope(scope, () => handle(context, file));
      return await this.#send(request, reply, context, response);
    } catch (error) {
      if (error instanceof SessionEndedError) return redirectToSignIn(request, reply);
      throw error;
    }
  }

  #contextOf(request: FastifyRequest, reply: FastifyReply, session: BrowserSession): PageContext {
    const { sessions, clock } = this.#dependencies;
    const { id: sessionId, user, csrfToken, authenticatedAt, singleSignOn, stage } = session;
    const parameters = request.params as Record<string, string>;
    return {
      user,
      sessionId,
      authenticatedAt,
      singleSignOn,
      stage,
      csrfToken,
      userAgent: request.headers['user-agent'],
      languages: [user.locale, request.headers['accept-language']].filter(Boolean).join(','),
      auditContext: {
        accountId: user.accountId,
        userId: user.id,
        origin: auditOrigin(request),
        at: clock(),
      },
      path: requestPath(request),
      query: new Fields(request.query),
      form: new Fields(request.body),
      disconnected: () => abortOnDisconnect(reply.raw).signal,
      withSession(renewedId) {
        const renewed = sessions.renew(reply, { sessionId: renewedId, user });
        return { ...this, sessionId: renewedId, csrfToken: renewed };
      },
      parameter: (name) => parameters[name] ?? '',
    };
  }

  async #send(
    request: FastifyRequest,
    reply: FastifyReply,
    context: PageContext,
    response: PageResponse | CsvFile,
  ): Promise<FastifyReply> {
    if ('redirect' in response) return reply.redirect(response.redirect, 303);
    if ('make' in response) return await this.#sendFile(request, reply, response, context.user);
    const { section = this.#scope.section, status = response.errors?.length ? 400 : 200 } = response;
    if (response.retryAfterSeconds !== undefined) reply.header('retry-after', response.retryAfterSeconds);
    if (response.refreshSeconds !== undefined) reply.header('refresh', response.refreshSeconds);
    const page = (
      <SitePage
        context={response.context ?? context}
        view={response}
        section={section}
        settingsPages={this.#dependencies.settingsPages}
      />
    );
    const { script } = response;
    const permissions = {
      script: script !== undefined,
      requests: script !== undefined && requestingScripts.has(script),
    };
    return sendPage(reply.code(status), page, permissions);
  }

  /** @throws {Problem} 429 `rate_limit_exceeded`, 503 `service_unavailable` */
  async #sendFile(
    request: FastifyRequest,
    reply: FastifyReply,
    { fileName, mediaType = 'text/csv; charset=utf-8; header=present', make }: CsvFile,
    { accountId }: User,
  ): Promise<FastifyReply> {
    // HEAD needs no table.
    const body =
      request.method === 'HEAD'
        ? Readable.from([])
        : await this.#dependencies.downloads.begin({ accountId, request, reply, make });
    return reply.type(mediaType).header('content-disposition', attachment(fileName)).send(body);
  }

  async #session(request: FastifyRequest): Promise<BrowserSession | null> {
    const { sessions } = this.#dependencies;
    if (!this.#scope.enrolment) return await sessions.session(request);
    const session = await sessions.sessionOfAnyStage(request);
    return session?.stage === 'second_factor' ? null : session;
  }

  /**
   * Sends a user without a session to the sign-in page.
   *
   * @param keep whether that page keeps the submitted form. Not a form that is too large, or was not created for a user of this
   *   browser: another site may have submitted it.
   */
  async #askToSignIn(request: FastifyRequest, reply: FastifyReply, keep: boolean): Promise<FastifyReply> {
    const { sessions, signInPage } = this.#dependencies;
    const form = new Fields(request.body);
    const userId = keep && sessions.csrfUser(request, form.secret(csrfField));
    const keptForm = userId ? keepForm(form, sessions.csrfToken(request, reply, userId)) : null;
    if (keptForm === null) return redirectToSignIn(request, reply);
    const csrfToken = sessions.csrfToken(request, reply);
    const page = await signInPage({ csrfToken, returnTo: requestPath(request), keptForm });
    return sendPage(reply.code(401), page, { script: true });
  }

  /** The page on which the user enters the password; `null` when the user has entered it recently, or with this form. */
  async #confirmation(context: PageContext): Promise<PageResponse | null> {
    const question = await questionFor(this.#dependencies.reauthentication, {
      ...context,
      context: context.auditContext,
      signal: context.disconnected(),
    });
    return question === null ? null : confirmationPage(context, question);
  }
}

/** Redirects to the sign-in page, and from there back to the page; for a form, to its page. */
function redirectToSignIn(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const returnTo = request.method === 'POST' ? requestPath(request) : request.url;
  return reply.redirect(signInAddress(returnTo), 303);
}

/**
 * The value of `Content-Disposition` that stores a file under a name. Other characters than ASCII are in `filename*`
 * (RFC 6266, RFC 8187).
 */
function attachment(fileName: string): string {
  const ascii = fileName.replace(/[^ -~]|["\\%]/gu, '_');
  if (ascii === fileName) return `attachment; filename="${fileName}"`;
  const encoded = encodeURIComponent(fileName).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`;
}
