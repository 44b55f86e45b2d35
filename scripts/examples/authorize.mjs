import { createBrowser, filledIn } from '../browser.mjs';
import { demoPassword } from '../demo-server.mjs';
import { send } from './send.mjs';

const parameters = [
  'ResponseType',
  'ClientId',
  'RedirectUri',
  'Scope',
  'State',
  'CodeChallenge',
  'CodeChallengeMethod',
];

/**
 * Sends an authorization request with the examples of its parameters.
 *
 * @param options.without a parameter to omit
 * @param options.instead values that replace the examples
 */
export function authorize(
  world,
  { server = world.server, without, instead, accept = 'application/json', cookie } = {},
) {
  const known = parameters.map((key) => world.document.components.parameters[key]);
  const query = new URLSearchParams({
    ...Object.fromEntries(known.map(({ name, example }) => [name, example])),
    ...instead,
  });
  if (without !== undefined) query.delete(without);
  const headers = { accept, ...(cookie !== undefined && { cookie }) };
  return send(server.base, `/v1/oauth/authorize?${query}`, { headers });
}

/** Signs a user in and returns the `Cookie` header of the browser. */
async function signIn({ server: { base } }, email) {
  const { visit, cookie } = createBrowser(base);
  const page = await visit(new URL('/sign_in', base));
  await visit(...filledIn(page, { email, password: demoPassword }));
  return cookie();
}

/** Sends a logout request. */
function logout(world, parameters, { accept = 'application/json', cookie } = {}) {
  const headers = { accept, ...(cookie !== undefined && { cookie }) };
  return send(world.server.base, `/v1/oauth/logout?${new URLSearchParams(parameters)}`, { headers });
}

/** The authorization endpoint and sign-out. */
export const authorizePages = {
  ConsentPageResponseExample: async (world) =>
    authorize(world, { accept: 'text/html', cookie: await signIn(world, 'owner@acme.example') }),
  LogoutPageResponseExample: async (world) => {
    const cookie = await signIn(world, 'owner@acme.example');
    return logout(world, { client_id: 'demospa' }, { accept: 'text/html', cookie });
  },
  LogoutRedirectUriResponseExample: (world) =>
    logout(world, { client_id: 'demospa', post_logout_redirect_uri: 'http://localhost:8080/other' }),
  LogoutIdTokenHintResponseExample: (world) => logout(world, { id_token_hint: 'e30.e30.e30' }),
  ErrorPageResponseExample: (world) => authorize(world, { accept: 'text/html', without: 'state' }),
  AuthorizeInvalidRequestResponseExample: (world) => authorize(world, { without: 'state' }),
  AuthorizeRedirectUriResponseExample: (world) =>
    authorize(world, { instead: { redirect_uri: 'http://localhost:8080/other' } }),
  AuthorizeUnknownClientResponseExample: (world) => authorize(world, { instead: { client_id: 'unknown' } }),
  AuthorizeOtherAccountResponseExample: async (world) =>
    authorize(world, { cookie: await signIn(world, 'owner@globex.example') }),
};
