/** Receives the response of the authorization server from the page of the redirect URI, `console-callback.js`. */
export function receiveSignIn() {
  const channel = new BroadcastChannel('console');
  channel.addEventListener('message', ({ data: response }) => {
    // What Swagger UI keeps for its own page of the redirect URI.
    const pending = window.swaggerUIRedirectOauth2;
    // Other windows with the console receive the message too.
    if (pending === undefined || response.state !== pending.state) return;
    delete window.swaggerUIRedirectOauth2;
    channel.postMessage({ received: response.state });
    complete(pending, response);
  });
}

/** Sentences of ours: another site can write the text of the response. */
const reasons = {
  access_denied: 'You did not allow the console to access your account.',
  invalid_scope: 'The application of the console may not request one of the scopes. Select fewer scopes.',
};

function complete({ auth, redirectUrl, callback, errCb }, { code, error }) {
  if (code !== undefined) return callback({ auth: { ...auth, code }, redirectUrl });
  const message = Object.hasOwn(reasons, error)
    ? reasons[error]
    : 'The authorization server rejected the request.';
  errCb({ authId: auth.name, source: 'auth', level: 'error', message });
}
