import { AsyncLocalStorage } from 'node:async_hooks';
import type { FastifyReply } from 'fastify';
import type { RateLimitState, RequestLimit } from '../limits/request-limit.js';
import { retryLater } from '../problems/problem.js';

const counted = new AsyncLocalStorage<true>();

/** Sends requests of the server to itself that are part of a counted request, so that they are not counted again. */
export function asCounted<Result>(send: () => Promise<Result>): Promise<Result> {
  return counted.run(true, send);
}

/** Whether the request is one of the server to itself, which is part of another. */
export function isPartOfRequest(): boolean {
  return counted.getStore() === true;
}

/**
 * Counts a request, and sets the `RateLimit` headers of the response.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`; synchronously when the limit is known to be exceeded from memory
 */
export function admit(limit: RequestLimit, subject: string, reply: FastifyReply): Promise<void> {
  if (isPartOfRequest()) return Promise.resolve();
  const rejection = limit.rejection(subject);
  if (rejection !== null) enforce(rejection, limit, reply);
  return limit.take(subject).then((limitState) => enforce(limitState, limit, reply));
}

/** Whether the request was counted already. */
export function isCounted(reply: FastifyReply): boolean {
  return reply.hasHeader('ratelimit');
}

function enforce(limitState: RateLimitState, { windowSeconds }: RequestLimit, reply: FastifyReply): void {
  const { granted, limit, remaining, resetSeconds } = limitState;
  reply.header('ratelimit-policy', `"default";q=${limit};w=${windowSeconds}`);
  reply.header('ratelimit', `"default";r=${remaining};t=${resetSeconds}`);
  if (granted) return;
  throw retryLater(
    'rate_limit_exceeded',
    `The limit of ${limit} requests a minute is exceeded.`,
    resetSeconds,
  );
}
