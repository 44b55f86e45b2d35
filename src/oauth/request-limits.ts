import type { Config } from '../platform/config/config.js';
import type { Counter } from '../platform/limits/counter.js';
import type { Counters } from '../platform/limits/counters.js';
import { createMemoryCounter } from '../platform/limits/memory-counter.js';
import { RequestLimit } from '../platform/limits/request-limit.js';
import { PublicLimits } from './public-limits.js';

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
