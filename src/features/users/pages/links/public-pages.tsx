import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { LinkPurpose, ValidLink } from '../../../../platform/accounts/one-time-links.js';
import type { SignInStage, User } from '../../../../platform/accounts/user.js';
import type { AuditOrigin } from '../../../../platform/audit/audit-log.js';
import type { Core } from '../../../../platform/core.js';
import { abortOnDisconnect } from '../../../../platform/http/disconnect.js';
import { auditOrigin } from '../../../../platform/http/principal.js';
import { linkPaths } from '../../../../platform/mail/link-delivery.js';
import { tooMany } from '../../../../platform/pages/confirm-password.js';
import { Fields } from '../../../../platform/pages/fields.js';
import { ErrorSummary } from '../../../../platform/pages/form-parts.js';
import { Layout, sendPage } from '../../../../platform/pages/layout.js';
import {
  type PageResponse,
  type PageView,
  pageForm,
  requestPath,
} from '../../../../platform/pages/page-context.js';
import { privatePageHeaders } from '../../../../platform/pages/security-headers.js';
import { type KnownBrowsers, nextStep } from '../../../sign-in/index.js';
import type { UserServices } from '../../index.js';

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
  readonly userAgent: string | undefined;
  /** Address of the user who is signed in in this browser; `null`: none. */
  readonly signedInAs: string | null;
  /**
   * Signs a new user in in this browser, in place of any other.
   *
   * @returns path of the next step of the sign-in, or `returnTo`
   */
  signIn(session: NewSession, returnTo: string): Promise<string>;
  /** Aborts when the client disconnects. */
  readonly signal: AbortSignal;
}

interface NewSession {
  readonly user: User;
  readonly sessionId: string;
  readonly stage: SignInStage;
}

type PublicHandler = (context: PublicContext) => Promise<PageResponse>;

/** The page of a one-time link, with the form that uses it. */
interface LinkPage {
  readonly purpose: LinkPurpose;
  /** What the visitor can do when the link does not work. */
  readonly advice: string;
  /** The response when the link was used, also to the browser that has used it and opens it again. */
  readonly done: (context: PublicContext) => PageResponse;
  /** The field for a new password. Rejected submissions are then limited, because each password takes time to check. */
  readonly passwordField?: string;
  readonly view: (context: PublicContext, link: ValidLink) => PageView;
  /** Submits the form. Returns the page that rejects it, whether the link was valid, or the response to its first use. */
  readonly use: (
    link: ValidLink,
    context: PublicContext,
  ) => Promise<PageResponse | 'used' | { readonly used: PageResponse } | 'invalid_link'>;
}

export interface PublicPagesCore
  extends Pick<Core, 'sessions' | 'failureLimit' | 'clock'>,
    Pick<UserServices, 'findLink'> {
  readonly knownBrowsers: KnownBrowsers;
}

/** Name of the cookie, at the path of a link. */
const usedCookie = 'used_link';

/** Pages without a session, for every client that has the link. */
export class PublicPages {
  readonly #app: FastifyInstance;
  readonly #core: PublicPagesCore;

  constructor(app: FastifyInstance, core: PublicPagesCore) {
    this.#app = app;
    this.#core = core;
  }

  get(path: string, handle: PublicHandler): void {
    this.#app.get(path, (request, reply) => this.#serve(request, reply, handle));
  }

  /**
   * Adds the route of a form, which needs no recent password.
   *
   * @param reason why it needs none
   */
  post(path: string, reason: string, handle: PublicHandler): void {
    this.#app.post(path, pageForm(reason), (request, reply) => {
      this.#core.sessions.verifyCsrf(request);
      return this.#serve(request, reply, handle);
    });
  }

  /** Adds the page of a link. A link is used by its form only, because mail programs open links in advance. */
  link({ purpose, advice, done, passwordField, view, use }: LinkPage): void {
    const path = `${linkPaths[purpose]}/:token`;
    const { failureLimit, clock, findLink } = this.#core;
    const find = ({ token }: PublicContext) => findLink({ token, purpose, now: clock() });
    // Links that do not work look the same, except to the browser that has used the link.
    const invalid = (context: PublicContext) => (context.used ? done(context) : invalidLinkPage(advice));
    this.get(path, async (context) => {
      const link = await find(context);
      return link === null ? invalid(context) : view(context, link);
    });
    this.post(path, 'has the token of a link', async (context) => {
      const link = await find(context);
      if (link === null) return invalid(context);
      const { address } = context.origin;
      const attempt = { by: 'new password by', address, of: `new password with link ${link.id}` };
      if (passwordField !== undefined) {
        const limit = await failureLimit.count(attempt);
        if (limit !== null) {
          const { retryAfterSeconds } = limit;
          const errors = [{ field: passwordField, message: tooMany('failed attempts', retryAfterSeconds) }];
          return { ...view(context, link), errors, status: 429, retryAfterSeconds };
        }
      }
      const outcome = await use(link, context);
      if (outcome === 'invalid_link') return invalid(context);
      if (outcome !== 'used' && !('used' in outcome)) return outcome;
      if (passwordField !== undefined) await failureLimit.removeFailure(attempt);
      context.markUsed();
      return outcome === 'used' ? done(context) : outcome.used;
    });
  }

  async #serve(request: FastifyRequest, reply: FastifyReply, handle: PublicHandler): Promise<FastifyReply> {
    const { token = '' } = request.params as { token?: string };
    const path = requestPath(request);
    const { sessions, knownBrowsers } = this.#core;
    const csrfToken = sessions.csrfToken(request, reply);
    const session = await sessions.session(request);
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
      userAgent: request.headers['user-agent'],
      signedInAs: session?.user.email ?? null,
      async signIn({ user, sessionId, stage }, returnTo) {
        knownBrowsers.remember(request, reply, user.email);
        await sessions.signIn(request, reply, { sessionId, user });
        return nextStep(stage, returnTo);
      },
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
    return sendPage(reply.code(status), page);
  }
}

/** The page of a link that is unknown, used, revoked or expired. */
function invalidLinkPage(advice: string): PageResponse {
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
