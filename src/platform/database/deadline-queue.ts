// With p-limit, because `database` imports nothing of `limits`.
import pLimit from 'p-limit';

/** Maximum number of concurrent calls: few, so that slow ones do not take all connections. */
const concurrency = 2;

/** Maximum time in the queue; most clients have disconnected by then. */
const deadlineMs = 10_000;

/**
 * Queues calls for single keys that may be slow, so that they do not delay the calls of a batch.
 *
 * @returns function that queues a call for a key and throws `timeoutError` after ten seconds in the queue
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
