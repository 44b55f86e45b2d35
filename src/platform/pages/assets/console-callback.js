// Passes the response of the authorization server to the console, which is open in another window of this server.
// By a channel and not by `window.opener`, which the window loses when the user signs in at an identity provider.
const response = Object.fromEntries(new URLSearchParams(location.search));
// The code is not left in the history of the window.
history.replaceState(null, '', location.pathname);

const channel = new BroadcastChannel('console');
channel.addEventListener('message', ({ data }) => {
  if (data.received === response.state) window.close();
});
if (response.state !== undefined) channel.postMessage(response);
