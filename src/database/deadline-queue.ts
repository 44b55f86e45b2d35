import pLimit from 'p-limit';

/** Calls at the same time: few, so that long ones never use up the connections. */
const concurrency = 2;

/** Longest time that a key waits in the queue; most clients have given up by then. */
const deadlineMs = 10_000;

/**
 * Queues calls for one key each, apart from the calls for several keys: for the few keys that might delay others.
 *
 * @returns calls for a key; throws `timeoutError` when the key has waited for longer than ten seconds
 */
export function createDeadlineQueue<Key, Value>(
  call: (key: Key) => Promise<Value>,
): (key: Key, timeoutError: Error) => Promise<Value> {
  const limit = pLimit(concurrency);
  return (key, timeoutError) => {
    const queuedAt = performance.now();
    return limit(async () => {
      if (performance.now() - queuedAt > deadlineMs) throw timeoutError;
      return await call(key);
    });
  };
}
