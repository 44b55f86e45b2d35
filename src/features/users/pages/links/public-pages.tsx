import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { AuditOrigin } from '../../../../platform/audit/audit-log.js';
import { auditOrigin } from '../../../../platform/http/audit-origin.js';
import type { BrowserSessions } from '../../../../platform/http/browser-sessions.js';
import { abortOnDisconnect } from '../../../../platform/http/disconnect.js';
import { Fields } from '../../../../platform/pages/fields.js';
import { ErrorSummary } from '../../../../platform/pages/form-parts.js';
import { Layout, renderPage } from '../../../../platform/pages/layout.js';
import { type PageResponse, pageForm } from '../../../../platform/pages/page-context.js';
import { privatePageHeaders } from '../../../../platform/pages/security-headers.js';

/**
 * The response to a link that is unknown, used, revoked or expired. All look the same, except to the browser that has used the
 * link: it gets the response to the first use again.
 */
export function invalidLink(advice: string, { used }: PublicContext, first: PageResponse): PageResponse {
  if (used) return first;
  return {
    status: 404,
    title: 'This link does not work',
    body: (
      <>
        <p>
          A link can be used once and for a limited time. This one was used, has expired, or was replaced by
          another. If you have just used it, it worked: sign in.
        </p>
        <p>{advice}</p>
        <p>
          <a href="/sign_in">Sign in</a>
        </p>
      </>
    ),
  };
}

/** Request for a page that needs no session. */
export interface PublicContext {
  readonly origin: AuditOrigin;
  readonly path: string;
  /** Empty without a form. */
  readonly form: Fields;
  /** The token in the path; empty when the path has none. */
  readonly token: string;
  /** Whether this browser has used the link. */
  readonly used: boolean;
  /** Remembers for a day that this browser has used the link, so that it gets the same response again. */
  markUsed(): void;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

/** Name of the cookie, at the path of a link. */
const usedCookie = 'used_link';

type PublicHandler = (context: PublicContext) => Promise<PageResponse>;

/** Pages without a session, for every client that has the link. */
export class PublicPages {
  readonly #app: FastifyInstance;
  readonly #sessions: BrowserSessions;

  constructor(app: FastifyInstance, sessions: BrowserSessions) {
    this.#app = app;
    this.#sessions = sessions;
  }

  get(path: string, handle: PublicHandler): void {
    this.#app.get(path, { config: { page: true } }, (request, reply) => this.#serve(request, reply, handle));
  }

  /**
   * Adds the route of a form, which needs no recent password. A link is consumed by its form only, because mail programs open
   * links in advance.
   *
   * @param reason why it needs none
   */
  post(path: string, reason: string, handle: PublicHandler): void {
    this.#app.post(path, pageForm(reason), (request, reply) => {
      this.#sessions.verifyCsrf(request);
      return this.#serve(request, reply, handle);
    });
  }

  async #serve(request: FastifyRequest, reply: FastifyReply, handle: PublicHandler): Promise<FastifyReply> {
    const { token = '' } = request.params as { token?: string };
    const path = request.url.split('?', 1)[0] ?? request.url;
    const csrfToken = this.#sessions.csrfToken(request, reply);
    const response = await handle({
      origin: auditOrigin(request),
      path,
      form: new Fields(request.body),
      token,
      used: request.cookies[usedCookie] === token,
      // Only the wording of a page depends on it.
      markUsed: () =>
        reply.setCookie(usedCookie, token, {
          path,
          maxAge: 24 * 3600,
          httpOnly: true,
          sameSite: 'lax',
          secure: 'auto',
        }),
      signal: abortOnDisconnect(reply.raw).signal,
    });
    reply.headers(privatePageHeaders());
    if ('redirect' in response) return reply.redirect(response.redirect, 303);
    if (response.retryAfterSeconds !== undefined) reply.header('retry-after', response.retryAfterSeconds);
    const { title, errors, body, status = errors?.length ? 400 : 200 } = response;
    const page = (
      <Layout title={title} narrow form={{ csrfToken, path, errors }}>
        <h1>{title}</h1>
        <ErrorSummary />
        {body}
      </Layout>
    );
    return reply.code(status).type('text/html; charset=utf-8').send(renderPage(page));
  }
}
