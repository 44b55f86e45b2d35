import type { Core } from '../../platform/core.js';
import { ClientSecrets } from './client-secrets.js';
import { OAuthApplications } from './oauth-applications.js';

export { OAuthApplications } from './oauth-applications.js';

/** Creates the services for applications and their secrets. */
export function createOAuthClients({ database }: Core) {
  return { applications: new OAuthApplications(database), clientSecrets: new ClientSecrets(database) };
}
