import { Turns } from './turns.js';

/** Calls of a lane at the same time: few, so that what takes long in there never uses up the connections. */
const atOnce = 2;

/** Longest that a key waits for its turn; whoever wants the answer has mostly given up by then. */
const patienceMs = 10_000;

/**
 * Asks for keys one by one, apart from those that are asked for together: for the few that might keep others waiting.
 *
 * @returns asks for a key; throws `otherwise` when it is not its turn in good time
 */
export function createLane<Key, Value>(
  answer: (key: Key) => Promise<Value>,
): (key: Key, otherwise: Error) => Promise<Value> {
  const turns = new Turns(atOnce);
  return async (key, otherwise) => {
    const since = performance.now();
    await new Promise<void>((resolve) => {
      turns.add(resolve);
      turns.begin();
    });
    try {
      if (performance.now() - since > patienceMs) throw otherwise;
      return await answer(key);
    } finally {
      turns.done();
    }
  };
}
