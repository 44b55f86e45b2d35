// Shows Swagger UI with the contract of this server, and signs the user in. Tokens stay in memory.
import { prepareContract } from './console-contract.js';
import { consoleLayout } from './console-layout.js';
import { receiveSignIn } from './console-sign-in.js';

const element = document.getElementById('console');
const { baseUrl, clientId, scopes = '' } = element.dataset;
const signIn = clientId && { clientId, scopes: scopes.split(' ') };

followColors(matchMedia('(prefers-color-scheme: dark)'));
// The page may send requests to its own origin only, and the contract and the redirect URI have the public address.
if (location.origin === new URL(baseUrl).origin) await showConsole().catch(showFailure);
else location.replace(`${baseUrl}/console${location.hash}`);

function showFailure() {
  element.setAttribute('role', 'alert');
  element.textContent = 'The console could not be loaded. Reload the page.';
}

function followColors(dark) {
  const apply = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
  dark.addEventListener('change', apply);
  apply();
}

async function showConsole() {
  const ui = SwaggerUIBundle({
    domNode: element,
    spec: prepareContract(await readContract(), signIn),
    plugins: [consoleLayout],
    layout: 'ConsoleLayout',
    oauth2RedirectUrl: `${baseUrl}/console/callback`,
    requestInterceptor: withoutCookies,
    deepLinking: true,
    displayRequestDuration: true,
    syntaxHighlight: { theme: 'obsidian' },
    persistAuthorization: false,
    validatorUrl: null,
  });
  if (signIn === undefined) return;
  ui.initOAuth({ ...signIn, usePkceWithAuthorizationCodeGrant: true });
  receiveSignIn();
}

async function readContract() {
  const response = await fetch('/openapi/v1.json');
  if (!response.ok) throw new Error('The description of the API could not be loaded.');
  const text = await response.text();
  // Links within the contract lead to sections of the reference.
  return JSON.parse(text.replaceAll('](#/', '](/docs#/'));
}

/** An application that calls the API has no cookies of this server. */
function withoutCookies(request) {
  request.credentials = 'omit';
  return request;
}
