import type { FastifyReply, FastifyRequest } from 'fastify';
import type { BrowserSessions } from '../../http/browser-sessions.js';
import type { SignInStage } from '../../services/second-factors/sign-in-stage.js';
import type { User } from '../../services/user.js';
import { type KeptForm, KeptFormPage, keepFormOf } from '../kept-form.js';
import { renderPage } from '../layout.js';
import { privatePageHeaders } from '../security-headers.js';
import { nextStep } from './next-step.js';

/** An authenticated user, and the other fields of the sign-in form. */
export interface SignedIn {
  readonly user: User;
  readonly stage: SignInStage;
  readonly returnTo: string;
  /** The form of an expired session. */
  readonly kept: KeptForm | null;
}

/**
 * Responds to an authentication that has created a session: with the next step, the form of the expired session, or the
 * requested page.
 *
 * @param showStep shows the page for the second factor with the form, which a URL cannot contain
 */
export async function respondToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    sessionId,
    signedIn,
    sessions,
    showStep,
  }: {
    sessionId: string;
    signedIn: SignedIn;
    sessions: BrowserSessions;
    showStep: (
      step: { user: User; returnTo: string; keptForm: string },
      csrfToken: string,
    ) => Promise<FastifyReply>;
  },
): Promise<FastifyReply> {
  const { user, stage, returnTo, kept } = signedIn;
  request.party = { accountId: user.accountId, userId: user.id };
  // A form of another user is discarded: this user must neither see nor submit it.
  const keptFor = sessions.csrfUser(request, kept?.token);
  const csrfToken = await sessions.signIn(request, reply, { sessionId, user });
  reply.headers(privatePageHeaders());
  if (kept === null || keptFor !== user.id || stage === 'enrolment') {
    return reply.redirect(nextStep(stage, returnTo), 303);
  }
  if (stage === 'complete') return sendKeptForm(reply, { csrfToken, returnTo, fields: kept.fields });
  return await showStep({ user, returnTo, keptForm: keepFormOf(kept.fields, csrfToken) }, csrfToken);
}

/** Responds to a second factor, after which the session has a new id: with the form of the expired session, or the requested page. */
export async function respondToSecondFactor(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    sessionId,
    signedIn,
    sessions,
  }: { sessionId: string; signedIn: Omit<SignedIn, 'stage'>; sessions: BrowserSessions },
): Promise<FastifyReply> {
  const { user, returnTo, kept } = signedIn;
  const csrfToken = sessions.renew(reply, { sessionId, user });
  reply.headers(privatePageHeaders());
  if (kept === null || sessions.csrfUser(request, kept.token) !== user.id)
    return reply.redirect(returnTo, 303);
  return sendKeptForm(reply, { csrfToken, returnTo, fields: kept.fields });
}

function sendKeptForm(
  reply: FastifyReply,
  form: { csrfToken: string; returnTo: string; fields: readonly (readonly [string, string])[] },
): FastifyReply {
  const { csrfToken, returnTo, fields } = form;
  const page = <KeptFormPage signedIn={{ csrfToken }} action={returnTo} fields={fields} />;
  return reply.type('text/html; charset=utf-8').send(renderPage(page));
}
