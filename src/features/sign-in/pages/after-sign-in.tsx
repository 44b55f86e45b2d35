import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignInStage, User } from '../../../platform/accounts/user.js';
import type { BrowserSessions } from '../../../platform/http/browser-sessions.js';
import type { Fields } from '../../../platform/pages/fields.js';
import {
  type KeptForm,
  KeptFormPage,
  keepFormOf,
  keptFormField,
  readKeptForm,
} from '../../../platform/pages/kept-form.js';
import { sendPage } from '../../../platform/pages/layout.js';
import { ownSecondFactorPath, safeReturnTo, withReturnTo } from '../../../platform/pages/paths.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';

/** Path of the page after the password. */
export const secondFactorPath = '/sign_in/second_factor';

/** The page after the password: the next step of the sign-in, or the requested page. */
export function nextStep(stage: SignInStage, returnTo: string): string {
  switch (stage) {
    case 'complete':
      return returnTo;
    case 'second_factor':
      return withReturnTo(secondFactorPath, returnTo);
    case 'enrolment':
      return withReturnTo(ownSecondFactorPath, returnTo);
  }
}

/** What every form of a sign-in contains besides the proof. */
export interface SignInFields {
  readonly returnTo: string;
  /** The form of an expired session, as text; empty without one. */
  readonly keptForm: string;
  readonly kept: KeptForm | null;
}

export function readSignInFields(form: Fields, baseUrl: string): SignInFields {
  const keptForm = form.secret(keptFormField);
  const returnTo = safeReturnTo(form.secret('return_to'), baseUrl);
  return { returnTo, keptForm, kept: readKeptForm(keptForm) };
}

/** An authenticated user, and the other fields of the sign-in form. */
interface SignedIn extends Pick<SignInFields, 'returnTo' | 'kept'> {
  readonly user: User;
  readonly stage: SignInStage;
}

interface Response {
  readonly signedIn: SignedIn;
  readonly sessions: BrowserSessions;
  /**
   * Shows the page for the second factor with the form of the expired session, which a URL cannot contain. Absent when no step can
   * be missing.
   */
  readonly showStep?: (step: {
    user: User;
    returnTo: string;
    keptForm: string;
    signOutToken: string;
  }) => Promise<FastifyReply>;
}

/** Responds to an authentication that has created a session, see {@link continueSignIn}. */
export async function respondToSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessionId, ...response }: Response & { sessionId: string },
): Promise<FastifyReply> {
  const { user } = response.signedIn;
  request.callerIds = { accountId: user.accountId, userId: user.id };
  const csrfToken = await response.sessions.signIn(request, reply, { sessionId, user });
  return continueSignIn(request, reply, { ...response, csrfToken });
}

/**
 * Responds to a user who has a session: with the next step, the form of the expired session, or the requested page. The response
 * to a form that is submitted twice is the same.
 *
 * @param csrfToken of the session
 */
export async function continueSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  { csrfToken, signedIn, sessions, showStep }: Response & { csrfToken: string },
): Promise<FastifyReply> {
  const { user, stage, returnTo, kept } = signedIn;
  reply.headers(privatePageHeaders());
  // A form of another user is discarded: this user must neither see nor submit it.
  if (kept !== null && sessions.csrfUser(request, kept.token) === user.id) {
    if (stage === 'complete') {
      const page = <KeptFormPage csrfToken={csrfToken} action={returnTo} fields={kept.fields} />;
      return sendPage(reply, page);
    }
    if (stage === 'second_factor' && showStep !== undefined) {
      const keptForm = keepFormOf(kept.fields, sessions.csrfToken(request, reply, user.id));
      return showStep({ user, returnTo, keptForm, signOutToken: csrfToken });
    }
  }
  return reply.redirect(nextStep(stage, returnTo), 303);
}
