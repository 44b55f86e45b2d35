import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loginHintOf } from '../../../oauth/consent/interrupted-request.js';
import type { PushedRequests } from '../../../oauth/grants/pushed-requests.js';
import type { User } from '../../../platform/accounts/user.js';
import { emailFormRule } from '../../../platform/accounts/user-rules.js';
import type { Core } from '../../../platform/core.js';
import { type BrowserSessions, signOutEvent } from '../../../platform/http/browser-sessions.js';
import { auditOrigin } from '../../../platform/http/principal.js';
import { checkAudience } from '../../../platform/pages/audience.js';
import { Fields } from '../../../platform/pages/fields.js';
import { ErrorSummary, Form, TextField } from '../../../platform/pages/form-parts.js';
import { keptFormField, readKeptForm } from '../../../platform/pages/kept-form.js';
import { Layout, type Page, sendPage } from '../../../platform/pages/layout.js';
import { pageForm } from '../../../platform/pages/page-context.js';
import {
  confirmPath,
  homePath,
  safeReturnTo,
  signInAddress,
  singleSignOnAddress,
  singleSignOnFormPath,
  testSignInPath,
} from '../../../platform/pages/paths.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import { Problem } from '../../../platform/problems/problem.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { continueSignIn } from '../../sign-in/index.js';
import type { SingleSignOnServices } from '../index.js';
import type { ReturnOutcome, SingleSignOnStart } from '../single-sign-on.js';
import {
  ConfirmedPage,
  ContinuePage,
  DeniedPage,
  ExpiredPage,
  NotConfirmedPage,
  NotSetUpPage,
  OtherUserPage,
  RejectedPage,
  TooManyPage,
  UnavailablePage,
} from './message-page.js';
import { TestPage } from './test-page.js';

/** The page on which a user enters the address whose domain has an identity provider. */
function EmailPage({
  csrfToken,
  returnTo,
  keptForm = null,
  email = '',
  error,
}: {
  csrfToken: string;
  returnTo: string;
  /** The form of an expired session, as text. */
  keptForm?: string | null;
  email?: string;
  error?: string;
}) {
  const title = 'Single sign-on';
  const errors = error === undefined ? [] : [{ field: 'email', message: error }];
  return (
    <Layout title={title} narrow form={{ csrfToken, path: singleSignOnFormPath, errors }}>
      <h1>{title}</h1>
      <ErrorSummary />
      <p>Enter your work e-mail address. You then sign in at the identity provider of your organization.</p>
      <Form
        className={null}
        hidden={[['return_to', returnTo], ...(keptForm === null ? [] : [[keptFormField, keptForm] as const])]}
        button="Continue"
      >
        <TextField
          id="email"
          label="Work e-mail address"
          type="email"
          value={email}
          autocomplete="username"
          maxLength={320}
        />
      </Form>
      <p>
        <a href={signInAddress(returnTo)}>Sign in another way</a>
      </p>
    </Layout>
  );
}

type Account = { Params: { account: string } };

/** Pages of single sign-on: the form, the start for each account, and the return from the identity provider. */
export async function singleSignOnPages(
  app: FastifyInstance,
  dependencies: SingleSignOnPagesDependencies,
): Promise<void> {
  const { sessions, domains, baseUrl } = dependencies;
  const emailPage = (
    request: FastifyRequest,
    reply: FastifyReply,
    form: Omit<Parameters<typeof EmailPage>[0], 'csrfToken'>,
  ) => sendPage(reply, <EmailPage {...form} csrfToken={sessions.csrfToken(request, reply)} />);

  app.get(singleSignOnFormPath, async (request, reply) => {
    const returnTo = returnToOf(request.query, baseUrl);
    return emailPage(request, reply, { returnTo, email: await loginHintOf(returnTo, request, dependencies) });
  });

  app.post(singleSignOnFormPath, pageForm('starts a sign-in'), async (request, reply) => {
    sessions.verifyCsrf(request);
    const form = new Fields(request.body);
    const returnTo = returnToOf(request.body, baseUrl);
    const keptForm = ownKeptForm(request, sessions);
    const given = form.text('email');
    // The sign-in page of an expired form has no address yet.
    if (given === '' && form.secret(keptFormField) !== '')
      return emailPage(request, reply, { returnTo, keptForm });
    const wrong = emailFormRule(given);
    const accountId = wrong === undefined ? await domains.accountOf(given) : null;
    if (accountId === null) {
      const error =
        wrong === undefined
          ? 'No account uses single sign-on for this domain. Sign in another way.'
          : sentence('The e-mail address', wrong);
      return emailPage(request, reply.code(400), { returnTo, keptForm, email: given, error });
    }
    return start(request, reply, dependencies, { accountId, returnTo, keptForm });
  });

  app.get(confirmPath, async (request, reply) => {
    const session = await sessions.session(request);
    if (session === null) return reply.headers(privatePageHeaders()).redirect(signInAddress(homePath), 303);
    const { accountId } = session.user;
    return start(request, reply, dependencies, { accountId, returnTo: homePath, sessionId: session.id });
  });

  app.get(testSignInPath, async (request, reply) => {
    const session = await sessions.session(request);
    if (session === null) return reply.headers(privatePageHeaders()).redirect(signInAddress(homePath), 303);
    checkAudience('administrators', session.user);
    const { accountId } = session.user;
    return start(request, reply, dependencies, {
      ...{ accountId, returnTo: homePath, sessionId: session.id, test: true },
    });
  });

  app.get<Account>(`${singleSignOnFormPath}/:account`, async (request, reply) =>
    start(request, reply, dependencies, {
      accountId: request.params.account,
      returnTo: returnToOf(request.query, baseUrl),
    }),
  );

  // The form of a page of this browser, for an account that the page has named.
  app.post<Account>(
    `${singleSignOnFormPath}/:account`,
    pageForm('starts a sign-in'),
    async (request, reply) => {
      sessions.verifyCsrf(request);
      return start(request, reply, dependencies, {
        accountId: request.params.account,
        returnTo: returnToOf(request.body, baseUrl),
        keptForm: ownKeptForm(request, sessions),
        signOut: true,
      });
    },
  );

  app.get<Account>(`${singleSignOnFormPath}/:account/callback`, async (request, reply) =>
    returnPage(request, reply, dependencies),
  );
}

/**
 * Sends the user to the identity provider: after a form by a page that continues automatically, after a link by a page with a
 * link. A confirmation and a test are redirected, because the user belongs to the account.
 */
async function start(
  request: FastifyRequest,
  reply: FastifyReply,
  { singleSignOn, ssoStateCookie, sessions }: SingleSignOnPagesDependencies,
  { signOut = false, ...given }: Omit<SingleSignOnStart, 'browser' | 'origin'> & { signOut?: boolean },
): Promise<FastifyReply> {
  if (!isNavigation(request)) throw new Problem('access_denied', 'Open this address in a window of its own.');
  const browser = ssoStateCookie.secretOf(request);
  ssoStateCookie.set(reply, browser);
  const outcome = await singleSignOn.start({ ...given, browser, origin: auditOrigin(request) });
  switch (outcome.kind) {
    case 'started': {
      const { url, accountName } = outcome;
      if (given.sessionId !== undefined) return reply.headers(privatePageHeaders()).redirect(url, 303);
      const session = signOut ? await sessions.sessionOfAnyStage(request) : null;
      if (session !== null) await sessions.signOut(request, reply, signOutEvent(session.user, request));
      if (request.method === 'POST') reply.header('refresh', `0; url=${url}`);
      return sendPage(reply, <ContinuePage url={url} accountName={accountName} />);
    }
    case 'not_found':
      return sendPage(reply.code(404), <NotSetUpPage />);
    case 'unavailable': {
      const { sessionId, test, returnTo, accountId } = given;
      const ofSession = test ? testSignInPath : confirmPath;
      const tryAgain = sessionId === undefined ? singleSignOnAddress(returnTo, accountId) : ofSession;
      return sendPage(reply.code(503), <UnavailablePage tryAgain={tryAgain} />);
    }
    case 'rate_limited': {
      const { retryAfterSeconds } = outcome;
      reply.code(429).header('retry-after', retryAfterSeconds);
      return sendPage(reply, <TooManyPage retryAfterSeconds={retryAfterSeconds} />);
    }
  }
}

/**
 * Whether the browser opens a page, and does not load an image, a frame or a page in advance for another site. Such requests must
 * not start sign-ins, which are limited. Clients without the headers are assumed to open a page.
 *
 * @see Fetch Metadata Request Headers (W3C)
 */
function isNavigation({ headers }: FastifyRequest): boolean {
  const { 'sec-fetch-mode': mode = 'navigate', 'sec-fetch-dest': destination = 'document' } = headers;
  return mode === 'navigate' && destination === 'document' && headers['sec-purpose'] === undefined;
}

function returnToOf(source: unknown, baseUrl: string): string {
  return safeReturnTo((source as Record<string, unknown> | undefined)?.return_to, baseUrl);
}

/** The form of an expired session; `null` when it was not created for a user of this browser. */
function ownKeptForm(request: FastifyRequest, sessions: BrowserSessions): string | null {
  const text = new Fields(request.body).secret(keptFormField);
  const kept = text === '' ? null : readKeptForm(text);
  return kept !== null && sessions.csrfUser(request, kept.token) ? text : null;
}

/** Dependencies of the pages with which users sign in at an identity provider. */
type SingleSignOnPagesDependencies = Pick<Core, 'sessions'> &
  SingleSignOnServices & { readonly pushedRequests: PushedRequests; readonly baseUrl: string };

/** The page to which the identity provider sends a user back. */
async function returnPage(
  request: FastifyRequest<{ Params: { account: string } }>,
  reply: FastifyReply,
  { singleSignOn, sessions, ssoStateCookie }: SingleSignOnPagesDependencies,
): Promise<FastifyReply> {
  const { account: accountId } = request.params;
  const session = await sessions.sessionOfAnyStage(request);
  const outcome = await singleSignOn.complete({
    accountId,
    browser: ssoStateCookie.read(request) ?? '',
    query: request.url.split('?').slice(1).join('?'),
    session,
    userAgent: request.headers['user-agent'],
    origin: auditOrigin(request),
  });
  reply.headers(privatePageHeaders());
  if (outcome.kind !== 'signed_in') {
    const { status, page } = responseTo(outcome, {
      accountId,
      csrfToken: () => sessions.csrfToken(request, reply),
      signedIn: request.signedIn?.user ?? null,
    });
    return sendPage(reply.code(status), page);
  }
  const { user, sessionId, returnTo, keptForm } = outcome;
  const kept = keptForm === null ? null : readKeptForm(keptForm);
  const csrfToken = await sessions.signIn(request, reply, { sessionId, user });
  // The identity provider decides about second factors, so no step is missing.
  const signedIn = { user, stage: 'complete', csrfToken } as const;
  return continueSignIn(request, reply, { sessions }, { session: signedIn, returnTo, kept });
}

function responseTo(
  outcome: Exclude<ReturnOutcome, { kind: 'signed_in' }>,
  { accountId, csrfToken, signedIn }: { accountId: string; csrfToken: () => string; signedIn: User | null },
): { status: number; page: Page } {
  const { returnTo = homePath, confirming = false } = 'confirming' in outcome ? outcome : {};
  const tryAgain = confirming ? confirmPath : singleSignOnAddress(returnTo, accountId);
  switch (outcome.kind) {
    case 'other_user':
      return { status: 409, page: <OtherUserPage {...outcome} csrfToken={csrfToken()} /> };
    case 'confirmed':
      return { status: 200, page: <ConfirmedPage /> };
    case 'tested':
      return { status: 200, page: <TestPage {...outcome} /> };
    case 'expired':
      return { status: 400, page: <ExpiredPage {...{ tryAgain, signedIn }} /> };
    case 'denied':
      return { status: 403, page: <DeniedPage tryAgain={tryAgain} /> };
    case 'rejected':
      return { status: 403, page: <RejectedPage /> };
    case 'not_confirmed':
      return { status: 403, page: <NotConfirmedPage tryAgain={confirmPath} /> };
    case 'invalid':
      return { status: 502, page: <UnavailablePage tryAgain={tryAgain} /> };
    case 'unavailable':
      return { status: 503, page: <UnavailablePage tryAgain={tryAgain} /> };
  }
}
