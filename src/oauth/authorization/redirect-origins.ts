import type { ClientRegistry } from '../../services/applications/client-registry.js';
import { isClientId } from '../client-authentication.js';

/**
 * Origins that a browser may be sent on to by an authorization request: the one of its redirect URI, when that
 * is registered for its client. Pages whose form leads to the request must allow them.
 */
export async function redirectOrigins(applications: ClientRegistry, path: string): Promise<string[]> {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const clientId = searchParams.get('client_id') ?? '';
  const redirectUri = searchParams.get('redirect_uri') ?? '';
  if (pathname !== '/v1/oauth/authorize' || !isClientId(clientId)) return [];
  const application = await applications.findByClientId(clientId);
  return application?.redirectUris.includes(redirectUri) ? [new URL(redirectUri).origin] : [];
}
