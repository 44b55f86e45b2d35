import { isClientId } from '../../clients/client-authentication.js';
import type { Application, ClientRegistry } from '../../clients/client-registry.js';
import { invalidClient } from '../../clients/credentials.js';

/** @throws {Problem} 401 `invalid_client`; never a redirect, because an unknown client has no registered redirect URI */
export async function knownClient(applications: ClientRegistry, clientId: string): Promise<Application> {
  const application = isClientId(clientId) ? await applications.findByClientId(clientId) : null;
  if (application === null) throw invalidClient({ basic: false }, 'Unknown client_id.');
  return application;
}
