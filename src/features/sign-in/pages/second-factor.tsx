import type { FastifyInstance } from 'fastify';
import { csrfField } from '../../../platform/http/browser-sessions.js';
import { auditOrigin } from '../../../platform/http/principal.js';
import { inMinutes, tooMany } from '../../../platform/pages/confirm-password.js';
import { Fields } from '../../../platform/pages/fields.js';
import { pageForm } from '../../../platform/pages/page-context.js';
import { safeReturnTo } from '../../../platform/pages/paths.js';
import { credentialField, type SecondFactors } from '../../second-factors/index.js';
import { continueSignIn, readSignInFields } from './after-sign-in.js';
import {
  codeField,
  type SecondFactorDependencies,
  secondFactorPath,
  sendSecondFactorPage,
} from './second-factor-page.js';

/** `/sign_in/second_factor`: the step after the password. */
export async function secondFactorStepPages(
  app: FastifyInstance,
  dependencies: SecondFactorDependencies,
): Promise<void> {
  const { sessions, secondFactorSignIn, clock, baseUrl } = dependencies;

  app.get(secondFactorPath, async (request, reply) => {
    const returnTo = safeReturnTo((request.query as Record<string, unknown>).return_to, baseUrl);
    const session = await sessions.sessionOfAnyStage(request);
    if (session?.stage !== 'second_factor')
      return continueSignIn(request, reply, dependencies, { session, returnTo, kept: null });
    const { user, csrfToken: signOutToken } = session;
    return sendSecondFactorPage(request, reply, dependencies, { user, returnTo, keptForm: '', signOutToken });
  });

  app.post(secondFactorPath, pageForm('completes a sign-in'), async (request, reply) => {
    sessions.verifyCsrf(request);
    const form = new Fields(request.body);
    const { returnTo, keptForm, kept } = readSignInFields(form, baseUrl);
    const session = await sessions.sessionOfAnyStage(request);
    if (session?.stage !== 'second_factor')
      return continueSignIn(request, reply, dependencies, { session, returnTo, kept });
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
        return continueSignIn(request, reply, dependencies, {
          session: { user, stage: 'complete', csrfToken },
          returnTo,
          kept,
        });
      }
      case 'wrong': {
        // The same form may have completed the sign-in meanwhile.
        const current = await sessions.sessionOfAnyStage(request);
        if (current?.stage !== 'second_factor')
          return continueSignIn(request, reply, dependencies, { session: current, returnTo, kept });
        reply.code(401);
        return again(
          'passkey' in proof
            ? 'The passkey was not accepted. Try again.'
            : 'Incorrect code. Each code can be used once: wait for the next one.',
        );
      }
      case 'rate_limited':
      case 'codes_rate_limited': {
        const { kind, retryAfterSeconds } = outcome;
        reply.code(429).header('retry-after', retryAfterSeconds);
        return again(
          kind === 'rate_limited'
            ? tooMany('failed attempts', retryAfterSeconds)
            : `Too many incorrect codes today. Use a passkey or a recovery code, or try again ${inMinutes(retryAfterSeconds)}.`,
        );
      }
    }
  });
}

function proofIn(form: Fields): Parameters<SecondFactors['secondFactorSignIn']['attempt']>[1]['proof'] {
  const credential = form.secret(credentialField);
  return credential === ''
    ? { code: form.secret(codeField) }
    : { passkey: { credential, csrfToken: form.secret(csrfField) } };
}
