import type { ComponentChildren } from 'preact';
import type { User } from '../../../platform/accounts/user.js';
import { Form } from '../../../platform/pages/form-parts.js';
import { BackToSignIn, Layout } from '../../../platform/pages/layout.js';
import { directoryPath, singleSignOnPath } from '../../../platform/pages/paths.js';

/** A page with a paragraph: why single sign-on failed, and a remedy. */
function MessagePage({
  title,
  csrfToken = '',
  more = <BackToSignIn />,
  children,
}: {
  title: string;
  /** For a page with a form. */
  csrfToken?: string;
  /** What follows the paragraph; a link to the sign-in page by default. */
  more?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <Layout title={title} narrow form={{ csrfToken, path: '' }}>
      <h1>{title}</h1>
      <p>{children}</p>
      {more}
    </Layout>
  );
}

/** The account has no identity provider, or does not exist. */
export function NotSetUpPage() {
  return (
    <MessagePage title="Single sign-on is not set up">
      No account uses single sign-on at this address. Check the address, or sign in another way.
    </MessagePage>
  );
}

/** The identity provider does not respond, or its response is invalid. */
export function UnavailablePage({ tryAgain }: { tryAgain: string }) {
  return (
    <MessagePage title="The identity provider is not available">
      The identity provider of your account does not respond as expected. <a href={tryAgain}>Try again</a>{' '}
      later, or sign in with your password.
    </MessagePage>
  );
}

/** The request is unknown, consumed or expired, or another browser started it. A response that is sent again is consumed. */
export function ExpiredPage({ tryAgain, signedIn }: { tryAgain: string; signedIn: User | null }) {
  if (signedIn !== null) {
    return (
      <MessagePage title="You are already signed in" more={null}>
        This sign-in was completed before, or has expired. You are signed in as{' '}
        <strong>{signedIn.email}</strong>. <a href={directoryPath}>Go to the directory</a>, or go back to the
        application that sent you here and start again.
      </MessagePage>
    );
  }
  return (
    <MessagePage title="This sign-in has expired">
      A sign-in must be completed within ten minutes, once, and in the browser in which it was started.{' '}
      <a href={tryAgain}>Start again</a>.
    </MessagePage>
  );
}

/** The identity provider did not sign the user in. */
export function DeniedPage({ tryAgain }: { tryAgain: string }) {
  return (
    <MessagePage title="You are not signed in">
      The identity provider of your account did not sign you in. <a href={tryAgain}>Try again</a>, or contact
      the person who manages it.
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
      Your identity provider has signed you in, but no user of this account can use that identity. Ask an
      owner of the account for an invitation to your verified e-mail address.
    </MessagePage>
  );
}

export function TooManyPage({ retryAfterSeconds }: { retryAfterSeconds: number }) {
  return (
    <MessagePage title="Too many sign-ins">
      Too many sign-ins were started from your network and not completed. Try again in {retryAfterSeconds}{' '}
      seconds.
    </MessagePage>
  );
}

/** After a confirmation in a separate tab. */
export function ConfirmedPage() {
  return (
    <MessagePage title="You are confirmed" more={null}>
      You have signed in again at your identity provider. Close this tab, go back to the form, and choose
      Continue.
    </MessagePage>
  );
}

/** The identity is not that of the session, or the user did not sign in again. */
export function NotConfirmedPage({ tryAgain }: { tryAgain: string }) {
  return (
    <MessagePage title="You are not confirmed" more={null}>
      You must sign in again at your identity provider, as the user who is signed in here.{' '}
      <a href={tryAgain}>Try again</a>.
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
  const form = (
    <Form
      action={singleSignOnPath(user.accountId)}
      className={null}
      validated
      hidden={[['return_to', returnTo]]}
      button={`Sign out and sign in as ${user.email}`}
      cancel={directoryPath}
    />
  );
  return (
    <MessagePage title="Another user is signed in" csrfToken={csrfToken} more={form}>
      You are signed in as <strong>{signedIn.email}</strong> ({signedIn.accountName}). To sign in as{' '}
      <strong>{user.email}</strong> ({user.accountName}), sign out first.
    </MessagePage>
  );
}

/**
 * Leads to the identity provider. It names the account and the host, because the account chooses where the link leads. After
 * a form, the header `Refresh` follows the link: `form-action` forbids a redirect.
 */
export function ContinuePage({ url, accountName }: { url: string; accountName: string }) {
  const link = (
    <p>
      <a class="button" href={url}>
        Continue
      </a>
    </p>
  );
  return (
    <MessagePage title={`Sign in to ${accountName}`} more={link}>
      You sign in to <strong>{accountName}</strong> at <strong>{new URL(url).host}</strong>.
    </MessagePage>
  );
}
