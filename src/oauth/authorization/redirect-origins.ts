import type { ClientRegistry } from '../../services/applications/client-registry.js';
import { isClientId } from '../client-authentication.js';

/**
 * Origins that an authorization request may redirect to: the origin of its redirect URI, if that is registered for the
 * client. The `form-action` of pages whose form leads to the request must allow them.
 */
export async function redirectOrigins(applications: ClientRegistry, path: string): Promise<string[]> {
  const { pathname, searchParams } = new URL(path, 'http://localhost');
  const clientId = searchParams.get('client_id') ?? '';
  const redirectUri = searchParams.get('redirect_uri') ?? '';
  if (pathname !== '/v1/oauth/authorize' || !isClientId(clientId)) return [];
  const application = await applications.findByClientId(clientId);
  return application?.redirectUris.includes(redirectUri) ? [new URL(redirectUri).origin] : [];
}
