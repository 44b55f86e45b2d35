import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { requestingApplication } from '../../../oauth/authorization/requesting-application.js';
import type { ClientRegistry } from '../../../oauth/clients/client-registry.js';
import type { User } from '../../../platform/accounts/user.js';
import type { Clock } from '../../../platform/clock.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import { auditOrigin } from '../../../platform/http/audit-origin.js';
import {
  type BrowserSession,
  type BrowserSessions,
  csrfField,
} from '../../../platform/http/browser-sessions.js';
import { inMinutes } from '../../../platform/pages/confirm-password.js';
import { Fields } from '../../../platform/pages/fields.js';
import { type KeptForm, keptFormField, readKeptForm } from '../../../platform/pages/kept-form.js';
import { renderPage } from '../../../platform/pages/layout.js';
import { pageForm } from '../../../platform/pages/page-context.js';
import { signInAddress } from '../../../platform/pages/paths.js';
import { safeReturnTo } from '../../../platform/pages/return-to.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import {
  credentialField,
  type Passkeys,
  type SecondFactorSignIn,
  type SecondFactors,
} from '../../second-factors/index.js';
import { continueSignIn } from './after-sign-in.js';
import { codeField, SecondFactorPage, secondFactorPath } from './second-factor-page.js';

export interface SecondFactorDependencies {
  readonly sessions: BrowserSessions;
  readonly secondFactors: SecondFactors;
  readonly secondFactorSignIn: SecondFactorSignIn;
  readonly passkeys: Passkeys;
  readonly clients: ClientRegistry;
  readonly clock: Clock;
  readonly baseUrl: string;
}

/** A session that waits for the second factor, and the requested page. */
export interface SecondFactorStep {
  readonly user: User;
  readonly returnTo: string;
  readonly keptForm: string;
  /** CSRF token of the session. */
  readonly signOutToken: string;
  readonly error?: string;
}

/** `/sign_in/second_factor`: the step after the password. */
export async function secondFactorPages(
  app: FastifyInstance,
  dependencies: SecondFactorDependencies,
): Promise<void> {
  const { sessions, secondFactorSignIn, clock, baseUrl } = dependencies;

  app.get(secondFactorPath, { config: { page: true } }, async (request, reply) => {
    const returnTo = safeReturnTo((request.query as Record<string, unknown>).return_to, baseUrl);
    const session = await sessions.sessionOfAnyStage(request);
    if (session?.stage !== 'second_factor') return leave(request, reply, { session, returnTo, kept: null });
    const { user, csrfToken: signOutToken } = session;
    return sendSecondFactorPage(request, reply, dependencies, { user, returnTo, keptForm: '', signOutToken });
  });

  /** Responds to a user who needs no second factor, or another step; also to a form that is submitted again. */
  async function leave(
    request: FastifyRequest,
    reply: FastifyReply,
    {
      session,
      returnTo,
      kept,
    }: {
      session: Pick<BrowserSession, 'user' | 'stage' | 'csrfToken'> | null;
      returnTo: string;
      kept: KeptForm | null;
    },
  ): Promise<FastifyReply> {
    if (session === null) return reply.headers(privatePageHeaders()).redirect(signInAddress(returnTo), 303);
    const showStep = (step: SecondFactorStep) => sendSecondFactorPage(request, reply, dependencies, step);
    return continueSignIn(request, reply, {
      csrfToken: session.csrfToken,
      signedIn: { ...session, returnTo, kept },
      sessions,
      showStep,
    });
  }

  app.post(secondFactorPath, pageForm('completes a sign-in'), async (request, reply) => {
    sessions.verifyCsrf(request);
    const form = new Fields(request.body);
    const returnTo = safeReturnTo(form.secret('return_to'), baseUrl);
    const keptForm = form.secret(keptFormField);
    const kept = readKeptForm(keptForm);
    const session = await sessions.sessionOfAnyStage(request);
    if (session?.stage !== 'second_factor') return leave(request, reply, { session, returnTo, kept });
    const { user, id: sessionId, csrfToken: signOutToken } = session;
    const context = { accountId: user.accountId, userId: user.id, origin: auditOrigin(request), at: clock() };
    const proof = proofIn(form);
    const outcome = await secondFactorSignIn.attempt(context, { user, sessionId, proof });
    const step = { user, returnTo, keptForm, signOutToken };
    const again = (error: string) => sendSecondFactorPage(request, reply, dependencies, { ...step, error });
    switch (outcome.kind) {
      case 'signed_in': {
        // The session has a new id.
        const csrfToken = sessions.renew(reply, { sessionId: outcome.sessionId, user });
        return leave(request, reply, { session: { user, stage: 'complete', csrfToken }, returnTo, kept });
      }
      case 'wrong': {
        // The same form may have completed the sign-in meanwhile.
        const current = await sessions.sessionOfAnyStage(request);
        if (current?.stage !== 'second_factor')
          return leave(request, reply, { session: current, returnTo, kept });
        reply.code(401);
        return again(
          'passkey' in proof
            ? 'The passkey was not accepted. Try again.'
            : 'Incorrect code. Each code can be used once: wait for the next one.',
        );
      }
      case 'rate_limited': {
        const { retryAfterSeconds } = outcome;
        reply.code(429).header('retry-after', retryAfterSeconds);
        return again(`Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`);
      }
      case 'codes_rate_limited': {
        const { retryAfterSeconds } = outcome;
        reply.code(429).header('retry-after', retryAfterSeconds);
        return again(
          `Too many incorrect codes today. Use a passkey or a recovery code, or try again ${inMinutes(retryAfterSeconds)}.`,
        );
      }
    }
  });
}

/** Sends the page for the second factor of a user who has entered the password. */
export async function sendSecondFactorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, secondFactors, passkeys, clients }: SecondFactorDependencies,
  { user, ...step }: SecondFactorStep,
): Promise<FastifyReply> {
  const csrfToken = sessions.csrfToken(request, reply);
  const [{ appAddedAt }, passkeyOptions] = await withScope(accountScope(user.accountId), () =>
    Promise.all([secondFactors.overview(user), passkeys.useOptions(csrfToken, user)]),
  );
  const hasPasskeys = !user.onlySingleSignOn && (passkeyOptions.allowCredentials ?? []).length > 0;
  const page = (
    <SecondFactorPage
      {...{ csrfToken, user, ...step }}
      hasApp={!user.onlySingleSignOn && appAddedAt !== null}
      passkeyOptions={hasPasskeys ? passkeyOptions : null}
    />
  );
  const application = await requestingApplication(clients, step.returnTo);
  const headers = privatePageHeaders({ script: hasPasskeys, toApplication: application !== undefined });
  return reply.headers(headers).type('text/html; charset=utf-8').send(renderPage(page));
}

function proofIn(form: Fields): Parameters<SecondFactorSignIn['attempt']>[1]['proof'] {
  const credential = form.secret(credentialField);
  return credential === ''
    ? { code: form.secret(codeField) }
    : { passkey: { credential, csrfToken: form.secret(csrfField) } };
}
