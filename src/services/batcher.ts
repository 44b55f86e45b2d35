import DataLoader from 'dataloader';

interface Limits {
  /** Most keys that one call answers. */
  readonly maximum: number;
  /** Calls that may be under way at the same time; what comes meanwhile waits together for the next one. */
  readonly atOnce: number;
}

/**
 * Lets requests that arrive together share one question to the database. A key is never answered by a call that
 * began before the key was asked for.
 *
 * @param answer gives the value for each key, in the order of the keys; an {@link Error} among the values is
 *   thrown to the one who asked for that key
 */
export function createBatcher<Key, Value>(
  answer: (keys: readonly Key[]) => Promise<readonly (Value | Error)[]>,
  { maximum, atOnce }: Limits,
): (key: Key) => Promise<Value> {
  const waiting: (() => void)[] = [];
  let underWay = 0;
  const begin = () => {
    while (underWay < atOnce) {
      const dispatch = waiting.shift();
      if (dispatch === undefined) return;
      underWay += 1;
      dispatch();
    }
  };
  const loader = new DataLoader<Key, Value>(
    async (keys) => {
      try {
        return await answer(keys);
      } finally {
        underWay -= 1;
        begin();
      }
    },
    {
      cache: false,
      maxBatchSize: maximum,
      batchScheduleFn: (dispatch) => {
        waiting.push(dispatch);
        setImmediate(begin);
      },
    },
  );
  return (key) => loader.load(key);
}
