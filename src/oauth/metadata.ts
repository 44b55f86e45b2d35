import type { Contract } from '../platform/contract/contract.js';
import type { components } from '../platform/contract/generated.js';
import { supportedGrantTypes } from './token-endpoint.js';

export type AuthorizationServerMetadata = components['schemas']['AuthorizationServerMetadata'];

/** Authorization server metadata. @see RFC 8414 section 2 and RFC 9207 section 3 */
export function authorizationServerMetadata(
  contract: Contract,
  baseUrl: string,
): AuthorizationServerMetadata {
  const address = (id: Parameters<Contract['operations']['get']>[0]) =>
    `${baseUrl}${contract.operations.get(id)?.path}`;
  const clientAuthentication = ['client_secret_basic', 'client_secret_post', 'none'];
  return {
    issuer: baseUrl,
    authorization_endpoint: address('authorize'),
    token_endpoint: address('createToken'),
    revocation_endpoint: address('revokeToken'),
    jwks_uri: address('getJsonWebKeySet'),
    scopes_supported: Object.keys(contract.scopes) as AuthorizationServerMetadata['scopes_supported'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...supportedGrantTypes],
    token_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    service_documentation: `${baseUrl}/docs`,
  };
}
