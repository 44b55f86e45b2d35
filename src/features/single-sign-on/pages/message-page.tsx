import type { ComponentChildren } from 'preact';
import type { User } from '../../../platform/accounts/user.js';
import { CsrfField } from '../../../platform/pages/form-parts.js';
import { Layout } from '../../../platform/pages/layout.js';
import { home, singleSignOnPath } from '../../../platform/pages/paths.js';

/** A page with the reason why single sign-on failed, and a remedy. */
function MessagePage({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <Layout title={title} narrow>
      <h1>{title}</h1>
      {children}
    </Layout>
  );
}

/** The account has no identity provider, or does not exist. */
export function NotSetUpPage() {
  return (
    <MessagePage title="Single sign-on is not set up">
      <p>No account uses single sign-on at this address. Check the address, or sign in another way.</p>
      <BackToSignIn />
    </MessagePage>
  );
}

/** The identity provider does not respond, or its response is invalid. */
export function UnavailablePage({ tryAgain }: { tryAgain: string }) {
  return (
    <MessagePage title="The identity provider is not available">
      <p>
        The identity provider of your account does not respond as expected. <a href={tryAgain}>Try again</a>{' '}
        later, or sign in with your password.
      </p>
      <BackToSignIn />
    </MessagePage>
  );
}

/** The request is unknown, consumed or expired, or another browser started it. A response that is sent again is consumed. */
export function ExpiredPage({ tryAgain, signedIn }: { tryAgain: string; signedIn: User | null }) {
  if (signedIn !== null) {
    return (
      <MessagePage title="You are already signed in">
        <p>
          This sign-in was completed before, or has expired. You are signed in as{' '}
          <strong>{signedIn.email}</strong>. <a href={home}>Go to the directory</a>, or go back to the
          application that sent you here and start again.
        </p>
      </MessagePage>
    );
  }
  return (
    <MessagePage title="This sign-in has expired">
      <p>
        A sign-in must be completed within ten minutes, once, and in the browser in which it was started.{' '}
        <a href={tryAgain}>Start again</a>.
      </p>
      <BackToSignIn />
    </MessagePage>
  );
}

/** The identity provider did not sign the user in. */
export function DeniedPage({ tryAgain }: { tryAgain: string }) {
  return (
    <MessagePage title="You are not signed in">
      <p>
        The identity provider of your account did not sign you in. <a href={tryAgain}>Try again</a>, or
        contact the person who manages it.
      </p>
      <BackToSignIn />
    </MessagePage>
  );
}

/**
 * The identity has no user who may sign in. One text for all reasons, so that it does not reveal which users exist. The audit
 * log of the account has the reason.
 */
export function RejectedPage() {
  return (
    <MessagePage title="You cannot sign in">
      <p>
        Your identity provider has signed you in, but no user of this account can use that identity. Ask an
        owner of the account for an invitation to your verified e-mail address.
      </p>
      <BackToSignIn />
    </MessagePage>
  );
}

export function TooManyPage({ retryAfterSeconds }: { retryAfterSeconds: number }) {
  return (
    <MessagePage title="Too many sign-ins">
      <p>
        Too many sign-ins were started from your network and not completed. Try again in {retryAfterSeconds}{' '}
        seconds.
      </p>
      <BackToSignIn />
    </MessagePage>
  );
}

/** After a confirmation in a separate tab. */
export function ConfirmedPage() {
  return (
    <MessagePage title="You are confirmed">
      <p>
        You have signed in again at your identity provider. Close this tab, go back to the form, and choose
        Continue.
      </p>
    </MessagePage>
  );
}

/** The identity is not that of the session, or the user did not sign in again. */
export function NotConfirmedPage({ tryAgain }: { tryAgain: string }) {
  return (
    <MessagePage title="You are not confirmed">
      <p>
        You must sign in again at your identity provider, as the user who is signed in here.{' '}
        <a href={tryAgain}>Try again</a>.
      </p>
    </MessagePage>
  );
}

/** Another user is signed in. The form signs that user out. */
export function OtherUserPage({
  user,
  signedIn,
  returnTo,
  csrfToken,
}: {
  user: User;
  signedIn: User;
  returnTo: string;
  csrfToken: string;
}) {
  return (
    <MessagePage title="Another user is signed in">
      <p>
        You are signed in as <strong>{signedIn.email}</strong> ({signedIn.accountName}). To sign in as{' '}
        <strong>{user.email}</strong> ({user.accountName}), sign out first.
      </p>
      <form method="post" action={singleSignOnPath(user.accountId)}>
        <CsrfField token={csrfToken} />
        <input type="hidden" name="return_to" value={returnTo} />
        <div class="actions">
          <button type="submit">Sign out and sign in as {user.email}</button>
          <a href={home}>Cancel</a>
        </div>
      </form>
    </MessagePage>
  );
}

/**
 * Leads to the identity provider. It names the account and the host, because the account chooses where the link leads. After
 * a form, the header `Refresh` follows the link: `form-action` forbids a redirect.
 */
export function ContinuePage({ url, accountName }: { url: string; accountName: string }) {
  return (
    <MessagePage title={`Sign in to ${accountName}`}>
      <p>
        You sign in to <strong>{accountName}</strong> at <strong>{new URL(url).host}</strong>.
      </p>
      <p>
        <a class="button" href={url}>
          Continue
        </a>
      </p>
    </MessagePage>
  );
}

function BackToSignIn() {
  return (
    <p>
      <a href="/sign_in">Back to sign-in</a>
    </p>
  );
}
