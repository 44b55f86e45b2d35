import DataLoader from 'dataloader';
import pLimit from 'p-limit';
import { isStatementRejected } from './database-errors.js';

/** Maximum number of concurrent calls: few, so that slow ones do not take all connections. */
const slowCallConcurrency = 2;

/** Maximum time in the queue; most clients have disconnected by then. */
const slowCallDeadlineMs = 10_000;

/**
 * Queues calls for single keys that may be slow, so that they do not delay the calls of a batch. It uses p-limit, because
 * `database` imports nothing of `limits`.
 *
 * @returns function that queues a call for a key and throws `timeoutError` after ten seconds in the queue
 */
export function createDeadlineQueue<Key, Value>(
  call: (key: Key) => Promise<Value>,
): (key: Key, timeoutError: Error) => Promise<Value> {
  const limit = pLimit(slowCallConcurrency);
  return (key, timeoutError) => {
    const queuedAt = performance.now();
    return limit(async () => {
      if (performance.now() - queuedAt > slowCallDeadlineMs) throw timeoutError;
      return await call(key);
    });
  };
}

interface Limits {
  /** Maximum number of keys in one call. */
  readonly maxBatchSize: number;
  /** Maximum number of concurrent calls; keys that arrive during them share the next one. */
  readonly concurrency: number;
}

type LoadBatch<Key, Value> = (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>;

/**
 * Lets requests that arrive together share one query. The result for a key never comes from a call that started before the
 * key was requested. While requests arrive one at a time, they do not wait for others.
 *
 * When the database rejects a call for several keys, so that nothing was stored, each key is loaded again in its own call.
 * The failure of one key does not affect the others. A call whose outcome is unknown, because the connection was lost, is
 * not repeated.
 *
 * @param load returns the value of each key, in the order of the keys; an {@link Error} among the values is thrown to the
 *   caller that requested the key
 */
export function createBatcher<Key, Value>(
  load: LoadBatch<Key, Value>,
  { maxBatchSize, concurrency }: Limits,
): (key: Key) => Promise<Value> {
  const limit = pLimit(concurrency);
  const call = isolatingFailures(load);
  // Whether the last call had one key.
  let alone = true;
  let running: Promise<unknown> = Promise.resolve();
  const loader = new DataLoader<Key, Value | Promise<Value>>(
    (keys) => {
      alone = keys.length === 1;
      const values = call(keys);
      running = values;
      return values;
    },
    {
      cache: false,
      maxBatchSize,
      batchScheduleFn: (dispatch) => {
        // The loader makes the call while `dispatch` runs, and reports its failure to the callers.
        const start = () =>
          void limit(() => {
            dispatch();
            return running.catch(() => {});
          });
        if (alone) queueMicrotask(start);
        else setImmediate(start);
      },
    },
  );
  // Only the caller that requested a key awaits a promise among the values.
  return (key) => loader.load(key) as Promise<Value>;
}

/** Loads each key of a rejected call again, in a call of its own. */
function isolatingFailures<Key, Value>(
  load: LoadBatch<Key, Value>,
): (keys: readonly Key[]) => Promise<readonly (Value | Error | Promise<Value>)[]> {
  const loadAlone = createDeadlineQueue(async (key: Key) => {
    const [value] = await load([key]);
    if (value instanceof Error) throw value;
    return value as Value;
  });
  return async (keys) => {
    try {
      return await load(keys);
    } catch (error) {
      if (keys.length === 1 || !isStatementRejected(error)) throw error;
      return keys.map((key) => loadAlone(key, error as Error));
    }
  };
}
