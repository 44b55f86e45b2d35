import DataLoader from 'dataloader';
import pLimit from 'p-limit';
import { isStatementRefused } from '../database/database-errors.js';
import { createDeadlineQueue } from './deadline-queue.js';

interface Limits {
  /** Most keys that one call answers. */
  readonly maximum: number;
  /** Calls that may be under way at the same time; what comes meanwhile waits together for the next one. */
  readonly atOnce: number;
}

type Answer<Key, Value> = (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>;

/**
 * Lets requests that arrive together share one question to the database. A key is never answered by a call that
 * began before the key was asked for. As long as requests come one at a time, none of them waits for others.
 *
 * The fault of one key is not that of its neighbours: where the database refuses a call for several keys, and so has
 * kept nothing of it, each key is asked for again, alone. A call whose outcome nobody knows, because the connection
 * was lost, is not repeated.
 *
 * @param answer gives the value for each key, in the order of the keys; an {@link Error} among the values is
 *   thrown to the one who asked for that key
 */
export function createBatcher<Key, Value>(
  answer: Answer<Key, Value>,
  { maximum, atOnce }: Limits,
): (key: Key) => Promise<Value> {
  const limit = pLimit(atOnce);
  const call = forgiving(answer);
  // Whether the last call was for one key.
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
      maxBatchSize: maximum,
      batchScheduleFn: (dispatch) => {
        // The loader makes the call while `dispatch` runs, and reports its failure to the callers.
        const begin = () =>
          void limit(() => {
            dispatch();
            return running.catch(() => {});
          });
        if (alone) queueMicrotask(begin);
        else setImmediate(begin);
      },
    },
  );
  // A promise among the values is waited for by the one who asked for its key, and by nobody else.
  return (key) => loader.load(key) as Promise<Value>;
}

/** The same, but a call for several keys that is refused promises each of them an answer of its own. */
function forgiving<Key, Value>(
  answer: Answer<Key, Value>,
): (keys: readonly Key[]) => Promise<readonly (Value | Error | Promise<Value>)[]> {
  const askAlone = createDeadlineQueue(async (key: Key) => {
    const [value] = await answer([key]);
    if (value instanceof Error) throw value;
    return value as Value;
  });
  return async (keys) => {
    try {
      return await answer(keys);
    } catch (error) {
      if (keys.length === 1 || !isStatementRefused(error)) throw error;
      return keys.map((key) => askAlone(key, error as Error));
    }
  };
}
