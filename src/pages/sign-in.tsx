import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isStorableText } from '../contract/storable-text.js';
import { auditOrigin } from '../http/audit-origin.js';
import type { BrowserSessions } from '../http/browser-sessions.js';
import type { KnownBrowsers } from '../http/known-browser-cookie.js';
import { redirectOrigins } from '../oauth/authorization/redirect-origins.js';
import type { ClientRegistry } from '../services/applications/client-registry.js';
import type { AuditEvent } from '../services/audit-log.js';
import type { SignIn } from '../services/sign-in.js';
import type { User } from '../services/user.js';
import { Fields } from './fields.js';
import { KeptFormPage, keptFormField, readKeptForm } from './kept-form.js';
import { CsrfField, Layout, renderPage } from './layout.js';
import { forgotPasswordPath } from './links/forgot-password.js';
import { NoticeBox } from './notice-box.js';
import { safeReturnTo, signInAddress } from './return-to.js';
import { privatePageHeaders } from './security-headers.js';

export interface SignInDependencies {
  readonly signIn: SignIn;
  readonly sessions: BrowserSessions;
  readonly knownBrowsers: KnownBrowsers;
  readonly applications: ClientRegistry;
  readonly baseUrl: string;
}

interface SignInForm {
  readonly email?: string;
  readonly password?: string;
  readonly return_to?: string;
  readonly kept_form?: string;
}

/** `/sign_in` and `/sign_out`. */
export async function signInPages(app: FastifyInstance, dependencies: SignInDependencies): Promise<void> {
  const { signIn, sessions, knownBrowsers, baseUrl } = dependencies;

  app.get('/sign_in', { config: { page: true } }, async (request, reply) => {
    const returnTo = safeReturnTo((request.query as Record<string, unknown>).return_to, baseUrl);
    if ((await sessions.user(request)) !== null) return reply.redirect(returnTo, 303);
    const notice = new Fields(request.query).text('notice');
    return sendForm(request, reply, dependencies, { returnTo, notice });
  });

  app.post('/sign_in', { config: { page: true } }, async (request, reply) => {
    sessions.verifyCsrf(request);
    const { email = '', password = '', return_to, kept_form = '' } = textMembers(request.body);
    const returnTo = safeReturnTo(return_to, baseUrl);
    const kept = readKeptForm(kept_form);
    const outcome = await signIn.attempt({
      email,
      password,
      knownBrowser: knownBrowsers.find(request, email),
      userAgent: request.headers['user-agent'],
      origin: auditOrigin(request),
    });
    switch (outcome.kind) {
      case 'signed_in': {
        const { user, sessionId } = outcome;
        request.party = { accountId: user.accountId, userId: user.id };
        // A form of another user is discarded: this user must neither see nor submit it.
        const keptFor = sessions.csrfUser(request, kept?.token);
        const csrfToken = await sessions.signIn(request, reply, { sessionId, user });
        knownBrowsers.remember(request, reply, user.email);
        reply.headers(privatePageHeaders());
        if (kept === null || keptFor !== user.id) return reply.redirect(returnTo, 303);
        const page = <KeptFormPage signedIn={{ csrfToken }} action={returnTo} fields={kept.fields} />;
        return reply.type('text/html; charset=utf-8').send(renderPage(page));
      }
      case 'wrong': {
        const error = 'Incorrect e-mail address or password.';
        return sendForm(request, reply.code(401), dependencies, {
          returnTo,
          email,
          error,
          keptForm: kept_form,
        });
      }
      case 'rate_limited': {
        const { retryAfterSeconds } = outcome;
        reply.code(429).header('retry-after', retryAfterSeconds);
        const error = `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`;
        return sendForm(request, reply, dependencies, { returnTo, email, error, keptForm: kept_form });
      }
    }
  });

  app.post('/sign_out', { config: { page: true } }, async (request, reply) => {
    sessions.verifyCsrf(request);
    const user = await sessions.user(request);
    await sessions.signOut(request, reply, user === null ? undefined : signOutEvent(user, request));
    const { return_to } = textMembers(request.body);
    const target = return_to === undefined ? '/sign_in' : signInAddress(safeReturnTo(return_to, baseUrl));
    return reply.headers(privatePageHeaders()).redirect(target, 303);
  });
}

function signOutEvent({ accountId, id: userId }: User, request: FastifyRequest): AuditEvent {
  return { type: 'sign_out', accountId, userId, origin: auditOrigin(request) };
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, applications }: SignInDependencies,
  form: Omit<Parameters<typeof SignInPage>[0], 'csrfToken'>,
): Promise<FastifyReply> {
  const page = <SignInPage {...form} csrfToken={sessions.csrfToken(request, reply)} />;
  const headers = privatePageHeaders(await redirectOrigins(applications, form.returnTo));
  return reply.headers(headers).type('text/html; charset=utf-8').send(renderPage(page));
}

/** The sign-in page, also for a form whose session had expired. */
export function SignInPage({
  csrfToken,
  returnTo,
  keptForm = '',
  email = '',
  notice = '',
  error,
}: {
  csrfToken: string;
  returnTo: string;
  /** A form whose session had expired, as text. */
  keptForm?: string;
  email?: string;
  /** Name of a notice. */
  notice?: string;
  error?: string;
}) {
  const invalid = error === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'error' };
  return (
    <Layout title={error === undefined ? 'Sign in' : 'Error: Sign in'} narrow>
      <h1>Sign in</h1>
      <NoticeBox code={notice} />
      {keptForm !== '' && (
        <p>Your session has expired. Sign in to return to the form with what you entered.</p>
      )}
      {error !== undefined && (
        <p id="error" class="alert" role="alert">
          {error}
        </p>
      )}
      <form method="post" action="/sign_in">
        <CsrfField token={csrfToken} />
        <input type="hidden" name="return_to" value={returnTo} />
        {keptForm !== '' && <input type="hidden" name={keptFormField} value={keptForm} />}
        <label>
          E-mail address
          <input type="email" name="email" value={email} autocomplete="username" required {...invalid} />
        </label>
        <label>
          Password
          <input type="password" name="password" autocomplete="current-password" required {...invalid} />
        </label>
        <button type="submit">Sign in</button>
      </form>
      <p>
        <a href={forgotPasswordPath}>Forgot your password?</a>
      </p>
    </Layout>
  );
}

function textMembers(body: unknown): SignInForm {
  return Object.fromEntries(
    Object.entries((body ?? {}) as Record<string, unknown>).filter(([, value]) => isStorableText(value)),
  );
}
