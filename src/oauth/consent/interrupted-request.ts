import type { FastifyRequest } from 'fastify';
import { isStorableText } from '../../platform/contract/outside-text.js';
import type { ClientRegistry } from '../clients/client-registry.js';
import { isRegisteredRedirectUri } from '../clients/redirect-uris.js';
import type { PushedRequests } from '../grants/pushed-requests.js';
import { browserCookie } from './pushed-request-query.js';
import { asksForOpenId } from './sign-in-demands.js';

interface Dependencies {
  readonly pushedRequests: PushedRequests;
  readonly baseUrl: string;
}

/**
 * Finds the name of the application whose authorization request a sign-in returns to.
 *
 * @param returnTo path and query
 * @param request of the sign-in page
 * @returns `undefined` for another path, an unknown client, a redirect URI that is not registered for the client, and a pushed request
 *   that this browser has not opened
 */
export async function findApplicationName(
  returnTo: string,
  request: FastifyRequest,
  { clients, ...dependencies }: Dependencies & { readonly clients: ClientRegistry },
): Promise<string | undefined> {
  const parameters = await parametersAt(returnTo, request, dependencies);
  if (parameters === null) return undefined;
  const client = await clients.find(parameters.client_id ?? '');
  if (client === null || !isRegisteredRedirectUri(client, parameters.redirect_uri ?? '')) return undefined;
  return client.name;
}

/** Maximum characters of an e-mail address. @see RFC 5321 section 4.5.3.1.3 */
const maximumHintLength = 254;

/**
 * The e-mail address that the authorization request suggests for the sign-in. It is not looked up.
 *
 * @param returnTo path and query
 * @param request of the sign-in page
 * @returns empty for another path, without the scope `openid`, for what cannot be an e-mail address, and for a pushed request that this
 *   browser has not opened
 */
export async function loginHintOf(
  returnTo: string,
  request: FastifyRequest,
  dependencies: Dependencies,
): Promise<string> {
  const parameters = await parametersAt(returnTo, request, dependencies);
  const { scope = '', login_hint: hint = '' } = parameters ?? {};
  const isAccepted = hint.length <= maximumHintLength && isStorableText(hint) && !/\p{Cc}/u.test(hint);
  return isAccepted && asksForOpenId(scope) ? hint : '';
}

/** The parameters of the authorization request, in its query or pushed. */
async function parametersAt(
  returnTo: string,
  request: FastifyRequest,
  { pushedRequests, baseUrl }: Dependencies,
): Promise<Readonly<Record<string, string>> | null> {
  const { pathname, searchParams } = new URL(returnTo, 'http://localhost');
  if (pathname !== '/v1/oauth/authorize') return null;
  const query = Object.fromEntries(searchParams);
  const { client_id = '', request_uri = '' } = query;
  if (request_uri === '') return query;
  return pushedRequests.find(client_id, request_uri, browserCookie(baseUrl).read(request) ?? '');
}
