import type { Application, ClientRegistry } from '../../../services/applications/client-registry.js';
import { isClientId } from '../../client-authentication.js';
import { invalidClient } from '../../credentials.js';

/** @throws {Problem} 401 `invalid_client`; never a redirect, because an unknown client has no registered redirect URI */
export async function knownClient(applications: ClientRegistry, clientId: string): Promise<Application> {
  const application = isClientId(clientId) ? await applications.findByClientId(clientId) : null;
  if (application === null) throw invalidClient({ basic: false }, 'Unknown client_id.');
  return application;
}
