import type { FastifyRequest } from 'fastify';
import type { Handlers, Input, Output } from '../../contract/handlers.js';
import type { AuthorizationServerMetadata } from '../../oauth/metadata.js';
import type { RevocationEndpoint } from '../../oauth/revocation-endpoint.js';
import type { SigningKeys } from '../../oauth/signing-keys.js';
import type { TokenEndpoint } from '../../oauth/token-endpoint.js';
import type { Application } from '../../services/applications/applications.js';
import { auditOrigin } from '../audit-origin.js';

const noStore = { 'cache-control': 'no-store' };

/** Metadata and keys change seldom, and a client that meets an unknown key looks again. */
const briefCache = { 'cache-control': 'public, max-age=300' };

export class OAuthHandlers
  implements
    Pick<Handlers, 'createToken' | 'revokeToken' | 'getAuthorizationServerMetadata' | 'getJsonWebKeySet'>
{
  readonly #tokenEndpoint: TokenEndpoint;
  readonly #revocationEndpoint: RevocationEndpoint;
  readonly #signingKeys: SigningKeys;
  readonly #metadata: AuthorizationServerMetadata;

  constructor(
    tokenEndpoint: TokenEndpoint,
    revocationEndpoint: RevocationEndpoint,
    signingKeys: SigningKeys,
    metadata: AuthorizationServerMetadata,
  ) {
    this.#tokenEndpoint = tokenEndpoint;
    this.#revocationEndpoint = revocationEndpoint;
    this.#signingKeys = signingKeys;
    this.#metadata = metadata;
  }

  /** @throws {Problem} see {@link TokenEndpoint.exchange} */
  async createToken({ body, request }: Input<'createToken'>): Promise<Output<'createToken'>> {
    const token = await this.#tokenEndpoint.exchange(
      body,
      request.headers.authorization,
      auditOrigin(request),
      noteIn(request),
    );
    return { status: 200, headers: noStore, body: token };
  }

  /** @throws {Problem} see {@link RevocationEndpoint.revoke} */
  async revokeToken({ body, request }: Input<'revokeToken'>): Promise<Output<'revokeToken'>> {
    await this.#revocationEndpoint.revoke(
      body,
      request.headers.authorization,
      auditOrigin(request),
      noteIn(request),
    );
    return { status: 200, headers: noStore, body: {} };
  }

  async getAuthorizationServerMetadata(
    _input: Input<'getAuthorizationServerMetadata'>,
  ): Promise<Output<'getAuthorizationServerMetadata'>> {
    return { status: 200, headers: briefCache, body: this.#metadata };
  }

  async getJsonWebKeySet(_input: Input<'getJsonWebKeySet'>): Promise<Output<'getJsonWebKeySet'>> {
    return { status: 200, headers: briefCache, body: { keys: [...this.#signingKeys.published] } };
  }
}

/** Whose request it is shows in the log. */
function noteIn(request: FastifyRequest) {
  return ({ id, accountId }: Application): void => {
    request.party = { accountId, applicationId: id };
  };
}
