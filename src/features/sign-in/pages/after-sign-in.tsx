import type { FastifyReply, FastifyRequest } from 'fastify';
import type { SignInStage } from '../../../platform/accounts/user.js';
import type { BrowserSession } from '../../../platform/http/browser-sessions.js';
import type { Fields } from '../../../platform/pages/fields.js';
import {
  type KeptForm,
  KeptFormPage,
  keepFormOf,
  keptFormField,
  readKeptForm,
} from '../../../platform/pages/kept-form.js';
import { sendPage } from '../../../platform/pages/layout.js';
import {
  ownSecondFactorPath,
  safeReturnTo,
  signInAddress,
  withReturnTo,
} from '../../../platform/pages/paths.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import {
  type SecondFactorDependencies,
  secondFactorPath,
  sendSecondFactorPage,
} from './second-factor-page.js';

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

/** Where a user continues who has a session. */
interface Continuation extends Pick<SignInFields, 'returnTo' | 'kept'> {
  /** `null` when the session has ended meanwhile. */
  readonly session: Pick<BrowserSession, 'user' | 'stage' | 'csrfToken'> | null;
}

/**
 * Responds to a user who has a session: with the next step, the form of the expired session, or the requested page. The response
 * to a form that is submitted twice is the same.
 *
 * @param dependencies `sessions` alone when no second factor can be missing
 */
export async function continueSignIn(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: SecondFactorDependencies | Pick<SecondFactorDependencies, 'sessions'>,
  { session, returnTo, kept }: Continuation,
): Promise<FastifyReply> {
  reply.headers(privatePageHeaders());
  if (session === null) return reply.redirect(signInAddress(returnTo), 303);
  const { sessions } = dependencies;
  const { user, stage, csrfToken } = session;
  // A form of another user is discarded: this user must neither see nor submit it.
  if (kept !== null && sessions.csrfUser(request, kept.token) === user.id) {
    if (stage === 'complete') {
      const page = <KeptFormPage csrfToken={csrfToken} action={returnTo} fields={kept.fields} />;
      return sendPage(reply, page);
    }
    // A URL cannot contain the form.
    if (stage === 'second_factor' && 'apps' in dependencies) {
      const keptForm = keepFormOf(kept.fields, sessions.csrfToken(request, reply, user.id));
      const step = { user, returnTo, keptForm, signOutToken: csrfToken };
      return sendSecondFactorPage(request, reply, dependencies, step);
    }
  }
  return reply.redirect(nextStep(stage, returnTo), 303);
}
