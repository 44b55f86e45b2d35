import type { FastifyReply, FastifyRequest } from 'fastify';
import type { User } from '../../../platform/accounts/user.js';
import type { Core } from '../../../platform/core.js';
import { auditOrigin } from '../../../platform/http/audit-origin.js';
import { readKeptForm } from '../../../platform/pages/kept-form.js';
import { type Page, sendPage } from '../../../platform/pages/layout.js';
import { confirmPath, home, singleSignOnAddress } from '../../../platform/pages/paths.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import { respondToSignIn } from '../../sign-in/index.js';
import type { SingleSignOnServices } from '../index.js';
import type { ReturnOutcome } from '../single-sign-on.js';
import {
  ConfirmedPage,
  DeniedPage,
  ExpiredPage,
  NotConfirmedPage,
  OtherUserPage,
  RejectedPage,
  UnavailablePage,
} from './message-page.js';

/** Dependencies of the pages with which users sign in at an identity provider. */
export type SingleSignOnPagesDependencies = Pick<Core, 'sessions'> &
  SingleSignOnServices & { readonly baseUrl: string };

/** The page to which the identity provider sends a user back. */
export async function returnPage(
  request: FastifyRequest<{ Params: { account: string } }>,
  reply: FastifyReply,
  { singleSignOn, sessions, ssoStateCookie }: SingleSignOnPagesDependencies,
): Promise<FastifyReply> {
  const { account: accountId } = request.params;
  const session = await sessions.sessionOfAnyStage(request);
  const outcome = await singleSignOn.complete({
    accountId,
    browser: ssoStateCookie.read(request),
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
  const signedIn = { user, stage: 'complete', returnTo, kept } as const;
  // The identity provider decides about second factors, so no step is missing.
  return respondToSignIn(request, reply, { sessionId, signedIn, sessions });
}

function responseTo(
  outcome: Exclude<ReturnOutcome, { kind: 'signed_in' }>,
  { accountId, csrfToken, signedIn }: { accountId: string; csrfToken: () => string; signedIn: User | null },
): { status: number; page: Page } {
  const { returnTo = home, confirming = false } = 'confirming' in outcome ? outcome : {};
  const tryAgain = confirming ? confirmPath : singleSignOnAddress(returnTo, accountId);
  switch (outcome.kind) {
    case 'other_user':
      return { status: 409, page: <OtherUserPage {...outcome} csrfToken={csrfToken()} /> };
    case 'confirmed':
      return { status: 200, page: <ConfirmedPage /> };
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
