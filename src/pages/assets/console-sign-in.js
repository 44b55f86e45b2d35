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

function complete({ auth, redirectUrl, callback, errCb }, { code, error, error_description: description }) {
  if (code !== undefined) return callback({ auth: { ...auth, code }, redirectUrl });
  const message = description ?? error ?? 'The response has no code.';
  errCb({ authId: auth.name, source: 'auth', level: 'error', message });
}
