import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../platform/config/config.js';
import type { Operation } from '../platform/contract/contract.js';
import type { PublicRateLimiter } from '../platform/http/binding/bind.js';
import { admit, isCounted } from '../platform/http/rate-limit.js';
import { type Counter, type Counters, createMemoryCounter } from '../platform/limits/counter.js';
import { RequestLimit } from '../platform/limits/request-limit.js';
import { networkOf } from '../platform/network/network-of-address.js';
import { Problem } from '../platform/problems/problem.js';
import type { AdmitClient } from './clients/credentials.js';

/** `null`: no limit. */
interface Limits {
  readonly client: RequestLimit | null;
  readonly ip: RequestLimit | null;
  /** For responses from memory, which must not depend on the database or Redis. */
  readonly ip_in_process: RequestLimit | null;
}

/**
 * Limits requests that carry no token.
 *
 * At the endpoints with client authentication, a request counts for the client after its authentication. A rejected request
 * counts for its address. Requests without valid credentials can therefore exhaust the limit of an address, which only
 * affects further rejected requests, but not the limit of a confidential client. A public client has no secret, so its
 * requests are counted for each address separately.
 */
export class PublicLimits implements PublicRateLimiter {
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /**
   * Counts a request to an operation without client authentication.
   *
   * @throws {Problem} 429
   */
  async admit({ rateLimit }: Operation, { ip }: FastifyRequest, reply: FastifyReply): Promise<void> {
    if (rateLimit === 'application' || rateLimit === 'client') return;
    const limit = this.#limits[rateLimit];
    if (limit !== null) await admit(limit, `api address ${networkOf(ip)}`, reply);
  }

  /** Counts a request for an authenticated client. */
  admitClient(reply: FastifyReply): AdmitClient {
    const { client } = this.#limits;
    return async (subject) => {
      if (client !== null) await admit(client, `token ${subject}`, reply);
    };
  }

  /**
   * Counts a rejected request for its address, unless it was counted for a client.
   *
   * @throws {Problem} 429, instead of the original error
   */
  async admitRejected(
    { rateLimit }: Operation,
    error: FastifyError,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<void> {
    const { client } = this.#limits;
    if (rateLimit !== 'client' || client === null || isCounted(reply) || !isRejection(error)) return;
    await admit(client, `token address ${networkOf(request.ip)}`, reply);
  }
}

/** Server errors are not caused by the client, and without the database requests cannot be counted. */
function isRejection(error: FastifyError): boolean {
  if (!(error instanceof Problem)) return (error.statusCode ?? 500) < 500;
  return error.code !== 'internal_error' && error.code !== 'service_unavailable';
}

/** The limits of requests with a token, and of those without. */
export function createRequestLimits(
  { rateLimitApi, rateLimitToken }: Config,
  { requests }: Counters,
): { api: RequestLimit | null; publicLimits: PublicLimits } {
  const limit = (counter: Counter, number: number) =>
    number === 0 ? null : new RequestLimit(counter, number);
  const api = limit(requests, rateLimitApi);
  const publicLimits = new PublicLimits({
    client: limit(requests, rateLimitToken),
    ip: api,
    ip_in_process: limit(createMemoryCounter(), rateLimitApi),
  });
  return { api, publicLimits };
}
