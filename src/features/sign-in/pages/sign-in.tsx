import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findApplicationName, loginHintOf } from '../../../oauth/consent/interrupted-request.js';
import type { RepeatedSignIn } from '../../../oauth/consent/repeated-sign-in.js';
import { normalizeEmail } from '../../../platform/accounts/normalize.js';
import { csrfField, signOutEvent } from '../../../platform/http/browser-sessions.js';
import { abortOnDisconnect } from '../../../platform/http/disconnect.js';
import { auditOrigin } from '../../../platform/http/principal.js';
import { tooMany } from '../../../platform/pages/confirm-password.js';
import { Fields } from '../../../platform/pages/fields.js';
import { sendPage } from '../../../platform/pages/layout.js';
import { pageForm } from '../../../platform/pages/page-context.js';
import { safeReturnTo, signInAddress } from '../../../platform/pages/paths.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import { credentialField } from '../../second-factors/index.js';
import type { KnownBrowsers } from '../known-browsers.js';
import type { SignIn, SignInOutcome } from '../sign-in.js';
import { continueSignIn, nextStep, readSignInFields, type SignInFields } from './after-sign-in.js';
import type { SecondFactorDependencies } from './second-factor-page.js';
import { passkeySignInPath, SignInPage } from './sign-in-page.js';

interface SignInDependencies extends SecondFactorDependencies {
  readonly signIn: SignIn;
  readonly knownBrowsers: KnownBrowsers;
  readonly repeatedSignIn: RepeatedSignIn;
}

/** `/sign_in` and `/sign_out`. */
export async function signInPages(app: FastifyInstance, dependencies: SignInDependencies): Promise<void> {
  const { signIn, sessions, knownBrowsers, repeatedSignIn, baseUrl } = dependencies;

  app.get('/sign_in', async (request, reply) => {
    const returnTo = safeReturnTo((request.query as Record<string, unknown>).return_to, baseUrl);
    const session = await sessions.sessionOfAnyStage(request);
    if (session !== null && !repeatedSignIn.isPending(returnTo, session)) {
      return reply.headers(privatePageHeaders()).redirect(nextStep(session.stage, returnTo), 303);
    }
    const hasEnded = session === null && sessions.sendsSession(request);
    const flash = new Fields(request.query).text('notice') || (hasEnded ? 'session_ended' : '');
    return sendForm(request, reply, dependencies, { returnTo, flash });
  });

  app.post('/sign_in', pageForm('has the password'), async (request, reply) => {
    sessions.verifyCsrf(request);
    const fields = new Fields(request.body);
    const email = fields.secret('email');
    const form = { ...readSignInFields(fields, baseUrl), email };
    const session = await sessions.sessionOfAnyStage(request);
    const isAgain = session?.user.email === normalizeEmail(email);
    if (session !== null && isAgain && !repeatedSignIn.isPending(form.returnTo, session))
      return continueSignIn(request, reply, dependencies, { session, ...form });
    const outcome = await signIn.withPassword({
      email,
      password: fields.secret('password'),
      knownBrowser: knownBrowsers.find(request, email),
      userAgent: request.headers['user-agent'],
      origin: auditOrigin(request),
      signal: abortOnDisconnect(reply.raw).signal,
    });
    const wrong = 'Incorrect e-mail address or password.';
    return respond(request, reply, dependencies, { outcome, form, wrong });
  });

  app.post(passkeySignInPath, pageForm('has a proof of the passkey'), async (request, reply) => {
    sessions.verifyCsrf(request);
    const fields = new Fields(request.body);
    const form = readSignInFields(fields, baseUrl);
    const response = { credential: fields.secret(credentialField), csrfToken: fields.secret(csrfField) };
    const from = { origin: auditOrigin(request), userAgent: request.headers['user-agent'] };
    const outcome = await signIn.withPasskey(response, from);
    // A passkey accepts each challenge once.
    const session = outcome.kind === 'wrong' ? await sessions.session(request) : null;
    if (session !== null && !repeatedSignIn.isPending(form.returnTo, session))
      return continueSignIn(request, reply, dependencies, { session, ...form });
    const wrong = 'The passkey was not accepted. Try again, or enter your password.';
    return respond(request, reply, dependencies, { outcome, form, wrong });
  });

  app.post('/sign_out', pageForm('ends only the session of the browser'), async (request, reply) => {
    const session = await sessions.sessionOfAnyStage(request);
    if (session !== null) {
      sessions.verifyCsrf(request, session);
      const event = session.stage === 'complete' ? signOutEvent(session.user, request) : undefined;
      await sessions.signOut(request, reply, event);
    }
    const returnTo = new Fields(request.body).secret('return_to');
    const target = returnTo === '' ? '/sign_in' : signInAddress(safeReturnTo(returnTo, baseUrl));
    return reply.headers(privatePageHeaders()).redirect(target, 303);
  });
}

/** Fields of the sign-in form besides the password or the passkey. */
type SubmittedForm = SignInFields & { readonly email?: string };

/** Responds to an attempt to sign in: with the next page, or with the sign-in page and an error. */
async function respond(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: SignInDependencies,
  { outcome, form: { kept, ...form }, wrong }: { outcome: SignInOutcome; form: SubmittedForm; wrong: string },
): Promise<FastifyReply> {
  switch (outcome.kind) {
    case 'signed_in': {
      const { sessionId, user, stage } = outcome;
      const { knownBrowsers, sessions } = dependencies;
      knownBrowsers.remember(request, reply, user.email);
      const csrfToken = await sessions.signIn(request, reply, { sessionId, user });
      const session = { user, stage, csrfToken };
      return continueSignIn(request, reply, dependencies, { session, kept, returnTo: form.returnTo });
    }
    case 'wrong':
      return sendForm(request, reply.code(401), dependencies, { ...form, error: wrong });
    case 'single_sign_on': {
      const { accountId } = outcome;
      const error = 'Users of your account sign in with single sign-on only.';
      return sendForm(request, reply.code(403), dependencies, { ...form, accountId, error });
    }
    case 'rate_limited': {
      const error = tooMany('failed attempts', outcome.retryAfterSeconds);
      reply.code(429).header('retry-after', outcome.retryAfterSeconds);
      return sendForm(request, reply, dependencies, { ...form, error });
    }
  }
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: SignInDependencies,
  form: Omit<Parameters<typeof SignInPage>[0], 'csrfToken' | 'passkeyOptions' | 'application'>,
): Promise<FastifyReply> {
  const { sessions, passkeys } = dependencies;
  const csrfToken = sessions.csrfToken(request, reply);
  const application = await findApplicationName(form.returnTo, request, dependencies);
  const passkeyOptions = await passkeys.useOptions(csrfToken);
  const email = form.email ?? (await loginHintOf(form.returnTo, request, dependencies));
  const page = <SignInPage {...{ ...form, email, csrfToken, passkeyOptions, application }} />;
  return sendPage(reply, page, { script: true, toApplication: application !== undefined });
}
