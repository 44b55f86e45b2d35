import type { ClientRegistry } from '../clients/client-registry.js';

/**
 * Finds the name of the application that an authorization request is from.
 *
 * @param path path and query of the request
 * @returns `undefined` for another path, an unknown client, or a redirect URI that is not registered for the client
 */
export async function findApplicationName(
  clients: ClientRegistry,
  path: string,
): Promise<string | undefined> {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  if (pathname !== '/v1/oauth/authorize') return undefined;
  const application = await clients.findByClientId(searchParams.get('client_id') ?? '');
  const redirectUri = searchParams.get('redirect_uri') ?? '';
  return application?.redirectUris.includes(redirectUri) ? application.name : undefined;
}
