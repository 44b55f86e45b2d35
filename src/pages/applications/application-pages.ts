import type { Contract } from '../../contract/contract.js';
import type { ClientSecrets } from '../../services/applications/client-secrets.js';
import type { OAuthApplications } from '../../services/applications/oauth-applications.js';

/** Dependencies of the application pages. */
export interface ApplicationPagesDependencies {
  readonly applications: OAuthApplications;
  readonly clientSecrets: ClientSecrets;
  readonly baseUrl: string;
  readonly production: boolean;
  readonly scopes: Contract['scopes'];
}
