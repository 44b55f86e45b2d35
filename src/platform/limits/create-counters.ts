import type { Database } from '../database/client.js';
import { type Counters, createDatabaseCounters } from './counters.js';
import type { CounterLogger } from './redis-connection.js';
import { RedisCounters } from './redis-counters.js';

/** Counts in Redis, or in the database when no `redisUrl` is configured. */
export function createCounters(
  database: Database,
  {
    redisUrl: url,
    baseUrl,
    logger,
  }: { redisUrl: string | undefined; baseUrl: string; logger: CounterLogger },
): Counters {
  if (url === undefined) return createDatabaseCounters(database);
  // Processes of one service have the same base URL, and other services have different ones.
  return new RedisCounters({ url, prefix: `people-api:${baseUrl}:`, logger });
}
