import type { Config } from '../../platform/config/config.js';
import type { Contract } from '../../platform/contract/contract.js';
import type { Core } from '../../platform/core.js';
import type { createEmployees } from '../employees/index.js';
import { ClientCredentials } from './client-credentials.js';
import { DevelopmentPolicy } from './development-policy.js';
import { OAuthApplications } from './oauth-applications.js';

export { OAuthApplications } from './oauth-applications.js';

export type ApplicationPagesDependencies = ReturnType<typeof createOAuthClients> &
  Pick<ReturnType<typeof createEmployees>, 'readCustomAttributes'> & {
    readonly baseUrl: string;
    readonly config: Pick<Config, 'production'>;
    readonly scopes: Contract['scopes'];
  };

export function createOAuthClients({ database }: Core) {
  return {
    applications: new OAuthApplications(database),
    clientCredentials: new ClientCredentials(database),
    developmentPolicy: new DevelopmentPolicy(database),
  };
}
