import { Layout } from '../../../platform/pages/layout.js';

/** Fixed sentences: the page does not show text from the URL, which another site can choose. */
const reasons: Readonly<Record<string, string>> = {
  access_denied: 'You did not allow the console to access your account, so it has no access token.',
  invalid_scope: 'The application of the console may not request one of the scopes. Select fewer scopes.',
};

const otherReason = 'The authorization server rejected the request.';

/** The redirect URI of the console. Its script passes the response to the console. */
export function CallbackPage({ error }: { error: string | undefined }) {
  return (
    <Layout
      title={error === undefined ? 'Return to the console' : 'Not signed in'}
      narrow
      script="console-callback.js"
    >
      {error === undefined ? (
        <>
          <h1>Return to the console</h1>
          <p>You can close this window, and continue in the window of the console.</p>
        </>
      ) : (
        <>
          <h1>Not signed in</h1>
          <p>{Object.hasOwn(reasons, error) ? reasons[error] : otherReason}</p>
        </>
      )}
      <p>
        If that window is closed, <a href="/console">open the console</a> and start again.
      </p>
    </Layout>
  );
}
