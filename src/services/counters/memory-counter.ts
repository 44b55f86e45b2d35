import { RateLimiterMemory } from 'rate-limiter-flexible';
import { type Counter, counting, toCounter } from './counter.js';

/** Counts what happens in this process alone. */
export function createMemoryCounter(): Counter {
  return toCounter(new RateLimiterMemory({ keyPrefix: '', ...counting }));
}
