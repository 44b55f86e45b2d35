import type { AppDependencies } from '../app.js';
import type { Config } from '../config.js';
import type { Counter } from '../services/counters/counter.js';
import { type Counters, createDatabaseCounters } from '../services/counters/counters.js';
import { createMemoryCounter } from '../services/counters/memory-counter.js';
import type { CounterLogger } from '../services/counters/redis-connection.js';
import { RedisCounters } from '../services/counters/redis-counters.js';
import { RequestLimit } from '../services/request-limit.js';
import { PublicLimits } from './public-limits.js';

/** Counts where the settings say: in Redis, or in the database. */
export function composeCounters({ config, database }: AppDependencies, logger: CounterLogger): Counters {
  const { redisUrl: url, baseUrl } = config;
  if (url === undefined) return createDatabaseCounters(database);
  // Processes of one service have the same address, and other services have others.
  return new RedisCounters({ url, prefix: `people-api:${baseUrl}:`, logger });
}

/** The limits of requests with a token, and of those without. */
export function composeLimits(
  { rateLimitApi, rateLimitToken }: Config,
  { requests }: Counters,
): { api: RequestLimit | null; publicLimits: PublicLimits } {
  const limit = (counter: Counter, number: number) =>
    number === 0 ? null : new RequestLimit(counter, number);
  const api = limit(requests, rateLimitApi);
  const publicLimits = new PublicLimits({
    client: limit(requests, rateLimitToken),
    address: api,
    ownAddress: limit(createMemoryCounter(), rateLimitApi),
  });
  return { api, publicLimits };
}
