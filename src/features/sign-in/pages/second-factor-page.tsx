import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ClientRegistry } from '../../../oauth/clients/client-registry.js';
import { findApplicationName } from '../../../oauth/consent/interrupted-request.js';
import type { PushedRequests } from '../../../oauth/grants/pushed-requests.js';
import type { User } from '../../../platform/accounts/user.js';
import type { Core } from '../../../platform/core.js';
import { accountScope, withScope } from '../../../platform/database/scope.js';
import { ErrorSummary, Hidden, TextField } from '../../../platform/pages/form-parts.js';
import { Layout, sendPage } from '../../../platform/pages/layout.js';
import { SignOutForm } from '../../../platform/pages/sidebar.js';
import { hiddenFields, PasskeyForm, type SecondFactors } from '../../second-factors/index.js';

/** Path of the page after the password. */
export const secondFactorPath = '/sign_in/second_factor';

/** Name of the field with a code. */
export const codeField = 'code';

export interface SecondFactorDependencies extends Pick<Core, 'sessions' | 'clock'>, SecondFactors {
  readonly clients: ClientRegistry;
  readonly pushedRequests: PushedRequests;
  readonly baseUrl: string;
}

/** A session that waits for the second factor, and the requested page. */
interface SecondFactorStep {
  readonly user: User;
  readonly returnTo: string;
  /** The form of an expired session, as text; empty without one. */
  readonly keptForm: string;
  /** CSRF token of the session. */
  readonly signOutToken: string;
  readonly error?: string;
}

/** Sends the page for the second factor of a user who has entered the password. */
export async function sendSecondFactorPage(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: SecondFactorDependencies,
  { user, ...step }: SecondFactorStep,
): Promise<FastifyReply> {
  const { sessions, apps, passkeys } = dependencies;
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
  const application = await findApplicationName(step.returnTo, request, dependencies);
  return sendPage(reply, page, { script: hasPasskeys, toApplication: application !== undefined });
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
}: SecondFactorStep & {
  csrfToken: string;
  /** Whether the user has an authenticator app. */
  hasApp: boolean;
  /** `null` when the user has no passkey. */
  passkeyOptions: object | null;
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
