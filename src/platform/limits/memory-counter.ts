import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type Counter, counting, toCounter } from './counter.js';

/** Counts events of this process only. */
export function createMemoryCounter(): Counter {
  return toCounter(new RateLimiterMemory({ keyPrefix: '', ...counting }));
}
