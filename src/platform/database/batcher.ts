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

interface Request<Key, Value> {
  readonly key: Key;
  readonly resolve: (value: Value) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Lets requests that arrive together share one query. The result for a key never comes from a call that started before the
 * key was requested. While requests arrive one at a time, they do not wait for others.
 *
 * When the database rejects a call for several keys, so that nothing was stored, each key is loaded again in its own call.
 * The failure of one key does not affect the others. A call whose outcome is unknown, because the connection was lost, is
 * not repeated.
 *
 * Own code, because every request passes through it twice: dataloader with p-limit creates 17 promises for a single key, this two.
 *
 * @param load returns the value of each key, in the order of the keys; an {@link Error} among the values is thrown to the
 *   caller that requested the key
 */
export function createBatcher<Key, Value>(
  load: LoadBatch<Key, Value>,
  { maxBatchSize, concurrency }: Limits,
): (key: Key) => Promise<Value> {
  const waiting: Request<Key, Value>[] = [];
  let running = 0;
  let scheduled = false;
  // Whether the last call had one key.
  let isSingle = true;
  const loadSingle = createDeadlineQueue(async (key: Key) => {
    const [value] = await load([key]);
    if (value instanceof Error) throw value;
    return value as Value;
  });

  const start = () => {
    scheduled = false;
    while (running < concurrency && waiting.length > 0) run(waiting.splice(0, maxBatchSize));
  };
  const run = (requests: readonly Request<Key, Value>[]) => {
    isSingle = requests.length === 1;
    running += 1;
    load(requests.map(({ key }) => key)).then(
      (values) => {
        end();
        for (const [index, { resolve, reject }] of requests.entries()) {
          const value = values[index];
          if (value instanceof Error) reject(value);
          else resolve(value as Value);
        }
      },
      (error) => {
        end();
        const isolate = requests.length > 1 && isStatementRejected(error);
        for (const { key, resolve, reject } of requests) {
          if (isolate) loadSingle(key, error).then(resolve, reject);
          else reject(error);
        }
      },
    );
  };
  const end = () => {
    running -= 1;
    schedule();
  };
  const schedule = () => {
    if (scheduled || waiting.length === 0) return;
    scheduled = true;
    if (isSingle) queueMicrotask(start);
    else setImmediate(start);
  };
  return (key) =>
    new Promise((resolve, reject) => {
      waiting.push({ key, resolve, reject });
      if (running < concurrency) schedule();
    });
}
