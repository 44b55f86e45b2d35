import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { AdmitClient } from '../oauth/client-request-context.js';
import { Problem } from '../problems/problem.js';
import { networkOf } from '../services/network-of-address.js';
import type { RequestLimit } from '../services/request-limit.js';
import type { PublicGate } from './binding/bind.js';
import type { PublicOperation } from './binding/handlers.js';
import { admit, isCounted } from './rate-limit.js';

/**
 * By what the callers of each operation without a token are counted: the client that they prove to be, their address,
 * or their address in this process alone, so that what is answered from memory needs nothing else to be there.
 */
const countedBy: Readonly<Record<PublicOperation, 'client' | 'address' | 'ownAddress'>> = {
  createToken: 'client',
  revokeToken: 'client',
  authorize: 'address',
  getAuthorizationServerMetadata: 'ownAddress',
  getJsonWebKeySet: 'ownAddress',
};

/** `null` is no limit. */
interface Limits {
  readonly client: RequestLimit | null;
  readonly address: RequestLimit | null;
  readonly ownAddress: RequestLimit | null;
}

/**
 * Limits requests that carry no token.
 *
 * At the endpoints that clients authenticate to, a request counts for the client once it has proved to be that client, and
 * otherwise, when it is refused, for its address. A stranger can therefore use up the limit of an address, which only
 * changes which refusal is seen there, but never that of a client with a secret: naming it is not enough, and its
 * own requests are not counted by address. A public client has nothing to prove itself with, and is counted for each
 * address by itself.
 */
export class PublicLimits implements PublicGate {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Counts a request to an operation that needs no client.
   *
   * @throws {Problem} 429
   */
  async admit(id: PublicOperation, { ip }: FastifyRequest, reply: FastifyReply): Promise<void> {
    const limit = this.#limits[countedBy[id]];
    if (countedBy[id] !== 'client' && limit !== null)
      await admit(limit, `api address ${networkOf(ip)}`, reply);
  }

  /** Counts a request for a client that is known by now. */
  admitClient(reply: FastifyReply): AdmitClient {
    const { client } = this.#limits;
    return async (subject) => {
      if (client !== null) await admit(client, `token ${subject}`, reply);
    };
  }

  /**
   * Counts a refusal for the address that it goes to, unless the request was counted for a client.
   *
   * @throws {Problem} 429 in place of the refusal
   */
  async admitRejected(
    id: PublicOperation,
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { client } = this.#limits;
    if (countedBy[id] !== 'client' || client === null || isCounted(reply) || !isRefusal(error)) return;
    await admit(client, `token address ${networkOf(request.ip)}`, reply);
  }
}

/** A failure of the server is nobody's doing, and where the database is away nothing can be counted. */
function isRefusal(error: FastifyError): boolean {
  if (!(error instanceof Problem)) return (error.statusCode ?? 500) < 500;
  return error.code !== 'internal_error' && error.code !== 'service_unavailable';
}
