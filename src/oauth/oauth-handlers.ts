import type { FastifyReply, FastifyRequest } from 'fastify';
import { auditOrigin } from '../platform/http/audit-origin.js';
import type { Handlers, Input, Output } from '../platform/http/binding/handlers.js';
import type { ClientCall } from './clients/credentials.js';
import type { SigningKeys } from './keys/signing-keys.js';
import type { AuthorizationServerMetadata } from './metadata.js';
import type { PublicLimits } from './request-limits.js';
import type { RevocationEndpoint } from './revocation-endpoint.js';
import type { TokenEndpoint } from './token-endpoint.js';

const noStore = { 'cache-control': 'no-store' };

/** Metadata and keys rarely change, and clients reload the keys when a `kid` is unknown. */
const briefCache = { 'cache-control': 'public, max-age=300' };

interface Parts {
  readonly tokenEndpoint: TokenEndpoint;
  readonly revocationEndpoint: RevocationEndpoint;
  readonly signingKeys: SigningKeys;
  readonly metadata: AuthorizationServerMetadata;
  readonly limits: PublicLimits;
}

export class OAuthHandlers
  implements
    Pick<Handlers, 'createToken' | 'revokeToken' | 'getAuthorizationServerMetadata' | 'getJsonWebKeySet'>
{
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws {Problem} see {@link TokenEndpoint.exchange} */
  async createToken({ body, request, reply }: Input<'createToken'>): Promise<Output<'createToken'>> {
    const token = await this.#parts.tokenEndpoint.exchange(body, this.#call(request, reply));
    return { status: 200, headers: noStore, body: token };
  }

  /** @throws {Problem} see {@link RevocationEndpoint.revoke} */
  async revokeToken({ body, request, reply }: Input<'revokeToken'>): Promise<Output<'revokeToken'>> {
    await this.#parts.revocationEndpoint.revoke(body, this.#call(request, reply));
    return { status: 200, headers: noStore, body: {} };
  }

  async getAuthorizationServerMetadata(): Promise<Output<'getAuthorizationServerMetadata'>> {
    return { status: 200, headers: briefCache, body: this.#parts.metadata };
  }

  async getJsonWebKeySet(): Promise<Output<'getJsonWebKeySet'>> {
    return { status: 200, headers: briefCache, body: { keys: [...this.#parts.signingKeys.published] } };
  }

  #call(request: FastifyRequest, reply: FastifyReply): ClientCall {
    return {
      authorization: request.headers.authorization,
      origin: auditOrigin(request),
      admit: this.#parts.limits.admitClient(reply),
      // For the request log.
      onAuthenticated: ({ id, accountId }) => {
        request.callerIds = { accountId, applicationId: id };
      },
    };
  }
}
