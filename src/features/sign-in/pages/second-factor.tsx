import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { findApplicationName } from '../../../oauth/authorization-endpoint.js';
import type { ClientRegistry } from '../../../oauth/clients/client-registry.js';
import type { User } from '../../../platform/accounts/user.js';
import type { Core } from '../../../platform/core.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import { type BrowserSession, csrfField } from '../../../platform/http/browser-sessions.js';
import { auditOrigin } from '../../../platform/http/principal.js';
import { inMinutes } from '../../../platform/pages/confirm-password.js';
import { Fields } from '../../../platform/pages/fields.js';
import { ErrorSummary, Hidden, TextField } from '../../../platform/pages/form-parts.js';
import { Layout, sendPage } from '../../../platform/pages/layout.js';
import { pageForm } from '../../../platform/pages/page-context.js';
import { safeReturnTo, signInAddress } from '../../../platform/pages/paths.js';
import { privatePageHeaders } from '../../../platform/pages/security-headers.js';
import { SignOutForm } from '../../../platform/pages/sidebar.js';
import {
  credentialField,
  hiddenFields,
  PasskeyForm,
  type SecondFactors,
} from '../../second-factors/index.js';
import { continueSignIn, readSignInFields, type SignInFields, secondFactorPath } from './after-sign-in.js';

const codeField = 'code';

export interface SecondFactorDependencies extends Pick<Core, 'sessions' | 'clock'>, SecondFactors {
  readonly clients: ClientRegistry;
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
export async function secondFactorStepPages(
  app: FastifyInstance,
  dependencies: SecondFactorDependencies,
): Promise<void> {
  const { sessions, secondFactorSignIn, clock, baseUrl } = dependencies;

  app.get(secondFactorPath, async (request, reply) => {
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
    }: Pick<SignInFields, 'returnTo' | 'kept'> & {
      session: Pick<BrowserSession, 'user' | 'stage' | 'csrfToken'> | null;
    },
  ): Promise<FastifyReply> {
    if (session === null) return reply.headers(privatePageHeaders()).redirect(signInAddress(returnTo), 303);
    const { csrfToken } = session;
    const signedIn = { ...session, returnTo, kept };
    const showStep = (step: SecondFactorStep) => sendSecondFactorPage(request, reply, dependencies, step);
    return continueSignIn(request, reply, { csrfToken, signedIn, sessions, showStep });
  }

  app.post(secondFactorPath, pageForm('completes a sign-in'), async (request, reply) => {
    sessions.verifyCsrf(request);
    const form = new Fields(request.body);
    const { returnTo, keptForm, kept } = readSignInFields(form, baseUrl);
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
      case 'rate_limited':
      case 'codes_rate_limited': {
        const { kind, retryAfterSeconds } = outcome;
        reply.code(429).header('retry-after', retryAfterSeconds);
        return again(
          kind === 'rate_limited'
            ? `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`
            : `Too many incorrect codes today. Use a passkey or a recovery code, or try again ${inMinutes(retryAfterSeconds)}.`,
        );
      }
    }
  });
}

/** Sends the page for the second factor of a user who has entered the password. */
export async function sendSecondFactorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  { sessions, apps, passkeys, clients }: SecondFactorDependencies,
  { user, ...step }: SecondFactorStep,
): Promise<FastifyReply> {
  const csrfToken = sessions.csrfToken(request, reply);
  const [appAddedAt, passkeyOptions] = await withScope(accountScope(user.accountId), () =>
    Promise.all([apps.addedAt(user), passkeys.useOptions(csrfToken, user)]),
  );
  const hasPasskeys = !user.onlySingleSignOn && (passkeyOptions.allowCredentials ?? []).length > 0;
  const page = (
    <SecondFactorPage
      {...{ csrfToken, user, ...step }}
      hasApp={!user.onlySingleSignOn && appAddedAt !== null}
      passkeyOptions={hasPasskeys ? passkeyOptions : null}
    />
  );
  const application = await findApplicationName(clients, step.returnTo);
  return sendPage(reply, page, { script: hasPasskeys, toApplication: application !== undefined });
}

function proofIn(form: Fields): Parameters<SecondFactors['secondFactorSignIn']['attempt']>[1]['proof'] {
  const credential = form.secret(credentialField);
  return credential === ''
    ? { code: form.secret(codeField) }
    : { passkey: { credential, csrfToken: form.secret(csrfField) } };
}

/** The page on which a user who has entered the password proves the second factor. */
function SecondFactorPage({
  csrfToken,
  signOutToken,
  user,
  returnTo,
  keptForm,
  hasApp,
  passkeyOptions,
  error,
}: {
  csrfToken: string;
  /** CSRF token of the session. */
  signOutToken: string;
  user: User;
  returnTo: string;
  /** The form of an expired session, as text; empty without one. */
  keptForm: string;
  /** Whether the user has an authenticator app. */
  hasApp: boolean;
  /** `null` when the user has no passkey. */
  passkeyOptions: object | null;
  error?: string;
}) {
  const title = 'Second factor';
  const errors = error === undefined ? [] : [{ field: codeField, message: error }];
  const fields = hiddenFields({ returnTo, keptForm });
  return (
    <Layout
      title={title}
      narrow
      form={{ csrfToken, path: secondFactorPath, errors }}
      {...(passkeyOptions !== null && { script: 'passkey.js' })}
    >
      <h1>{title}</h1>
      <ErrorSummary />
      <p>
        Your password is correct. Confirm that it is you, <strong>{user.email}</strong>.
      </p>
      {passkeyOptions !== null && (
        <PasskeyForm
          action={secondFactorPath}
          kind="use"
          options={passkeyOptions}
          fields={fields}
          button="Use a passkey"
        />
      )}
      <form method="post" action={secondFactorPath} noValidate>
        <Hidden fields={fields} />
        <TextField
          id={codeField}
          label={hasApp ? 'Code' : 'Recovery code'}
          hint={
            user.onlySingleSignOn
              ? 'Your account uses single sign-on only. Without it, owners enter one of their recovery codes.'
              : hasApp
                ? 'The six digits that your authenticator app shows, or one of your recovery codes.'
                : 'Without your passkey, enter one of your recovery codes.'
          }
          autocomplete="one-time-code"
          maxLength={40}
        />
        <button type="submit" {...(passkeyOptions !== null && { class: 'secondary' })}>
          Continue
        </button>
      </form>
      <p>Lost both? Contact an owner or administrator of your account.</p>
      <SignOutForm csrfToken={signOutToken} />
    </Layout>
  );
}
