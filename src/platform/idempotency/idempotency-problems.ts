import { Problem } from '../problems/problem.js';
import type { IdempotentOutcome } from './idempotency.js';

/** Seconds after which a request with the same key has usually finished. */
const keyInUseRetrySeconds = 1;

/** Seconds between two runs that delete expired keys. */
const tooManyKeysRetrySeconds = 600;

/** 409 `idempotency_key_in_use`, 422 `idempotency_key_reused` or 429 `rate_limit_exceeded`. */
export function idempotencyProblem(rejected: Exclude<IdempotentOutcome, { kind: 'completed' }>): Problem {
  switch (rejected.kind) {
    case 'in_use':
      return new Problem(
        'idempotency_key_in_use',
        'A request with this Idempotency-Key is still running. Try again in a second.',
        { retryAfterSeconds: keyInUseRetrySeconds },
      );
    case 'reused':
      return new Problem(
        'idempotency_key_reused',
        'This Idempotency-Key was already used with another request. Use a new key for a new request.',
      );
    case 'too_many_keys':
      return new Problem(
        'rate_limit_exceeded',
        `The application has reached its limit of ${rejected.limit} idempotency keys in 24 hours.`,
        { retryAfterSeconds: tooManyKeysRetrySeconds },
      );
  }
}
