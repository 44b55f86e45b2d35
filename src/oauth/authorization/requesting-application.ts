import type { ClientRegistry } from '../../services/applications/client-registry.js';
import { isClientId } from '../client-authentication.js';

/** The application of an authorization request. */
export interface RequestingApplication {
  readonly name: string;
  /** Origin of the redirect URI. The `form-action` of pages whose form leads to the request must allow it. */
  readonly redirectOrigin: string;
}

/**
 * Finds the application that an authorization request is from.
 *
 * @param path path and query of the request
 * @returns `null` for another path, an unknown client, or a redirect URI that is not registered for the client
 */
export async function requestingApplication(
  applications: ClientRegistry,
  path: string,
): Promise<RequestingApplication | null> {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const clientId = searchParams.get('client_id') ?? '';
  const redirectUri = searchParams.get('redirect_uri') ?? '';
  if (pathname !== '/v1/oauth/authorize' || !isClientId(clientId)) return null;
  const application = await applications.findByClientId(clientId);
  if (application === null || !application.redirectUris.includes(redirectUri)) return null;
  return { name: application.name, redirectOrigin: new URL(redirectUri).origin };
}
