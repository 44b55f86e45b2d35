import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Contract, type OperationId, operationOf } from '../platform/contract/contract.js';
import type { components } from '../platform/contract/generated.js';
import type { Handlers, Input, Output } from '../platform/http/binding/handlers.js';
import { auditOrigin } from '../platform/http/principal.js';
import { proofRequest } from './authentication.js';
import { assertionAlgorithms } from './clients/client-keys.js';
import { isApplication } from './clients/client-registry.js';
import type { ClientCall } from './clients/credentials.js';
import { prompts } from './consent/sign-in-demands.js';
import { proofAlgorithms } from './dpop/proof-key.js';
import { introspectToken } from './introspection-endpoint.js';
import { type SigningKeys, signingAlgorithm } from './keys/signing-keys.js';
import { pushRequest } from './pushed-request-endpoint.js';
import type { PublicLimits } from './request-limits.js';
import { revokeToken } from './revocation-endpoint.js';
import { openIdClaims } from './scopes.js';
import type { OAuthServices } from './services.js';
import { exchangeToken, supportedGrantTypes } from './token-endpoint.js';
import { contextClasses } from './tokens/id-tokens.js';

type AuthorizationServerMetadata = components['schemas']['AuthorizationServerMetadata'];

/**
 * Authorization server metadata, also for clients of OpenID Connect.
 *
 * @see RFC 8414 section 2, RFC 9207 section 3 and OpenID Connect Discovery 1.0 section 3
 */
export function authorizationServerMetadata(
  contract: Contract,
  baseUrl: string,
): AuthorizationServerMetadata {
  const address = (id: OperationId) => `${baseUrl}${operationOf(contract, id).path}`;
  const confidential = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];
  const clientAuthentication = [...confidential, 'none'];
  return {
    issuer: baseUrl,
    authorization_endpoint: address('authorize'),
    token_endpoint: address('createToken'),
    pushed_authorization_request_endpoint: address('createPushedRequest'),
    require_pushed_authorization_requests: false,
    revocation_endpoint: address('revokeToken'),
    introspection_endpoint: address('introspectToken'),
    jwks_uri: address('getJsonWebKeySet'),
    scopes_supported: Object.keys(contract.scopes) as AuthorizationServerMetadata['scopes_supported'],
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: [...supportedGrantTypes],
    token_endpoint_auth_methods_supported: clientAuthentication,
    token_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    revocation_endpoint_auth_methods_supported: clientAuthentication,
    revocation_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    introspection_endpoint_auth_methods_supported: confidential,
    introspection_endpoint_auth_signing_alg_values_supported: assertionAlgorithms,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    dpop_signing_alg_values_supported: [...proofAlgorithms],
    service_documentation: `${baseUrl}/docs`,
    userinfo_endpoint: address('getUserInfo'),
    end_session_endpoint: address('getLogout'),
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [signingAlgorithm],
    claim_types_supported: ['normal'],
    claims_supported: [
      ...['iss', 'sub', 'aud', 'azp', 'exp', 'iat', 'auth_time', 'nonce', 'acr', 'amr', 'sid', 'at_hash'],
      ...Object.values(openIdClaims).flat(),
    ],
    acr_values_supported: Object.values(contextClasses(baseUrl)),
    prompt_values_supported: [...prompts],
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    claims_parameter_supported: false,
    request_parameter_supported: false,
    request_uri_parameter_supported: false,
  };
}

const noStore = { 'cache-control': 'no-store' };

/** Metadata and keys rarely change, and clients reload the keys when a `kid` is unknown. */
const briefCache = { 'cache-control': 'public, max-age=300' };

interface Parts {
  readonly services: OAuthServices;
  readonly signingKeys: SigningKeys;
  readonly metadata: AuthorizationServerMetadata;
  readonly limits: PublicLimits;
}

export class OAuthHandlers
  implements
    Pick<
      Handlers,
      | 'createToken'
      | 'revokeToken'
      | 'introspectToken'
      | 'createPushedRequest'
      | 'getAuthorizationServerMetadata'
      | 'getOpenIdConfiguration'
      | 'getJsonWebKeySet'
    >
{
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws {Problem} see {@link exchangeToken} */
  async createToken({ body, request, reply }: Input<'createToken'>): Promise<Output<'createToken'>> {
    const token = await exchangeToken(this.#parts.services, body, this.#call(request, reply));
    return { status: 200, headers: noStore, body: token };
  }

  /** @throws {Problem} see {@link revokeToken} */
  async revokeToken({ body, request, reply }: Input<'revokeToken'>): Promise<Output<'revokeToken'>> {
    await revokeToken(this.#parts.services, body, this.#call(request, reply));
    return { status: 200, headers: noStore, body: {} };
  }

  /** @throws {Problem} see {@link introspectToken} */
  async introspectToken({
    body,
    request,
    reply,
  }: Input<'introspectToken'>): Promise<Output<'introspectToken'>> {
    const described = await introspectToken(this.#parts.services, body, this.#call(request, reply));
    return { status: 200, headers: noStore, body: described };
  }

  /** @throws {Problem} see {@link pushRequest} */
  async createPushedRequest({
    body,
    request,
    reply,
  }: Input<'createPushedRequest'>): Promise<Output<'createPushedRequest'>> {
    const pushed = await pushRequest(this.#parts.services, body, this.#call(request, reply));
    return { status: 201, headers: noStore, body: pushed };
  }

  async getAuthorizationServerMetadata(): Promise<Output<'getAuthorizationServerMetadata'>> {
    return { status: 200, headers: briefCache, body: this.#parts.metadata };
  }

  async getOpenIdConfiguration(): Promise<Output<'getOpenIdConfiguration'>> {
    return { status: 200, headers: briefCache, body: this.#parts.metadata };
  }

  async getJsonWebKeySet(): Promise<Output<'getJsonWebKeySet'>> {
    return { status: 200, headers: briefCache, body: { keys: [...this.#parts.signingKeys.published] } };
  }

  #call(request: FastifyRequest, reply: FastifyReply): ClientCall {
    return {
      authorization: request.headers.authorization,
      ...(request.headers.dpop !== undefined && { dpop: proofRequest(request) }),
      origin: auditOrigin(request),
      admit: this.#parts.limits.admitClient(reply),
      onNextNonce: (nonce) => reply.header('dpop-nonce', nonce),
      // For the request log.
      onAuthenticated: (client) => {
        if (isApplication(client))
          request.callerIds = { accountId: client.accountId, applicationId: client.id };
      },
      // For the rejected requests of the application.
      onRejected: (client) => {
        if (isApplication(client))
          request.rejectedClient = { accountId: client.accountId, applicationId: client.id };
      },
    };
  }
}
