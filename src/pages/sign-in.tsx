import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isStorableText } from '../contract/text.js';
import type { Database } from '../database/client.js';
import { auditOrigin } from '../http/audit-origin.js';
import type { BrowserSessions } from '../http/browser-sessions.js';
import { onwardOrigins } from '../oauth/authorization/onward-origins.js';
import type { Applications } from '../services/applications/applications.js';
import type { AuditEvent, AuditLog } from '../services/audit-log.js';
import type { FailureLimit } from '../services/failure-limit.js';
import { networkOf } from '../services/network.js';
import { maximumPasswordLength, passwordMatches } from '../services/passwords.js';
import { findUserForSignIn, type User } from '../services/users.js';
import { CsrfField, Layout, renderPage } from './layout.js';
import { safeReturnTo } from './return-to.js';
import { privatePageHeaders } from './security-headers.js';

export interface SignInDependencies {
  readonly database: Database;
  readonly sessions: BrowserSessions;
  readonly applications: Applications;
  readonly auditLog: AuditLog;
  readonly failureLimit: FailureLimit;
  readonly baseUrl: string;
}

interface SignInForm {
  readonly email?: string;
  readonly password?: string;
  readonly return_to?: string;
}

/** `/sign_in` and `/sign_out`. */
export async function signInPages(app: FastifyInstance, dependencies: SignInDependencies): Promise<void> {
  const { sessions, baseUrl } = dependencies;

  app.get('/sign_in', { config: { page: true } }, async (request, reply) => {
    const returnTo = safeReturnTo((request.query as Record<string, unknown>).return_to, baseUrl);
    if ((await sessions.user(request)) !== null) return reply.redirect(returnTo, 303);
    return sendForm(request, reply, dependencies, { returnTo });
  });

  app.post('/sign_in', { config: { page: true } }, async (request, reply) => {
    sessions.verifyCsrf(request);
    const { email = '', password = '', return_to } = textMembers(request.body);
    const returnTo = safeReturnTo(return_to, baseUrl);
    const attempt = await tryToSignIn({ email, password }, request, dependencies);
    if ('user' in attempt) {
      request.party = { accountId: attempt.user.accountId, userId: attempt.user.id };
      await sessions.signIn(request, reply, attempt.user.id);
      return reply.headers(privatePageHeaders()).redirect(returnTo, 303);
    }
    reply.code(attempt.status);
    if (attempt.retryAfterSeconds !== undefined) reply.header('retry-after', attempt.retryAfterSeconds);
    return sendForm(request, reply, dependencies, { returnTo, email, fault: attempt.fault });
  });

  app.post('/sign_out', { config: { page: true } }, async (request, reply) => {
    sessions.verifyCsrf(request);
    const user = await sessions.user(request);
    await sessions.signOut(request, reply, user === null ? undefined : signOutEvent(user, request));
    return reply.headers(privatePageHeaders()).redirect('/sign_in', 303);
  });
}

function signOutEvent({ accountId, id: userId }: User, request: FastifyRequest): AuditEvent {
  return { type: 'sign_out', accountId, userId, origin: auditOrigin(request) };
}

type Attempt = { user: User } | { status: number; fault: string; retryAfterSeconds?: number };

/** One answer for an unknown address and a wrong password, after the same work. */
async function tryToSignIn(
  { email, password }: { email: string; password: string },
  request: FastifyRequest,
  { database, auditLog, failureLimit }: SignInDependencies,
): Promise<Attempt> {
  const origin = auditOrigin(request);
  const attempt = { by: `address ${networkOf(origin.address)}`, of: `e-mail ${email.toLowerCase()}` };
  const retryAfterSeconds = await failureLimit.count(attempt);
  if (retryAfterSeconds > 0) {
    const fault = `Too many attempts. Wait ${retryAfterSeconds} seconds, then try again.`;
    return { status: 429, fault, retryAfterSeconds };
  }
  const found = await findUserForSignIn(database, email);
  const matches =
    password.length <= maximumPasswordLength &&
    (await passwordMatches(found?.passwordHash ?? null, password));
  const known = found && { accountId: found.user.accountId, userId: found.user.id };
  if (found === null || !matches) {
    await auditLog.record({ type: 'sign_in.failed', ...known, origin });
    return { status: 401, fault: 'E-mail address or password is wrong.' };
  }
  await failureLimit.giveBack(attempt);
  await auditLog.record({ type: 'sign_in.succeeded', ...known, origin });
  return { user: found.user };
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, applications }: SignInDependencies,
  form: Omit<Parameters<typeof SignInPage>[0], 'csrfToken'>,
): Promise<FastifyReply> {
  const page = <SignInPage {...form} csrfToken={sessions.csrfToken(request, reply)} />;
  const headers = privatePageHeaders(await onwardOrigins(applications, form.returnTo));
  return reply.headers(headers).type('text/html; charset=utf-8').send(renderPage(page));
}

function SignInPage({
  csrfToken,
  returnTo,
  email = '',
  fault,
}: {
  csrfToken: string;
  returnTo: string;
  email?: string;
  fault?: string;
}) {
  const invalid = fault === undefined ? {} : { 'aria-invalid': true, 'aria-describedby': 'fault' };
  return (
    <Layout title={fault === undefined ? 'Sign in' : 'Error: Sign in'} narrow>
      <h1>Sign in</h1>
      {fault !== undefined && (
        <p id="fault" class="alert" role="alert">
          {fault}
        </p>
      )}
      <form method="post" action="/sign_in">
        <CsrfField token={csrfToken} />
        <input type="hidden" name="return_to" value={returnTo} />
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
    </Layout>
  );
}

function textMembers(body: unknown): SignInForm {
  return Object.fromEntries(
    Object.entries((body ?? {}) as Record<string, unknown>).filter(([, value]) => isStorableText(value)),
  );
}
