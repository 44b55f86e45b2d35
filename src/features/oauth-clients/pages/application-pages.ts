import type { Contract } from '../../../platform/contract/contract.js';
import type { ClientSecrets } from '../client-secrets.js';
import type { OAuthApplications } from '../oauth-applications.js';

export interface ApplicationPagesDependencies {
  readonly applications: OAuthApplications;
  readonly clientSecrets: ClientSecrets;
  readonly baseUrl: string;
  readonly production: boolean;
  readonly scopes: Contract['scopes'];
}
