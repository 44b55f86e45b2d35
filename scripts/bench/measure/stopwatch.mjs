import { now } from './clock.mjs';
import { processTimes, residentBytes } from './processor-time.mjs';
import { databaseSeconds } from './sample.mjs';

const memoryIntervalMs = 20;

/**
 * @typedef {object} Timing What one act took.
 * @property {number} begin Milliseconds, see `clock.mjs`.
 * @property {number} end
 * @property {number} seconds
 * @property {number} serverSeconds Of processor time.
 * @property {number} databaseSeconds Of processor time; NaN where PostgreSQL is elsewhere.
 * @property {number} clientSeconds Of processor time of this process.
 * @property {number} peakMemory Most resident bytes of the server at any moment.
 */

/**
 * Does something once and takes its time.
 *
 * @param {import('./processor-time.mjs').Watched} watched
 * @param {() => Promise<Result>} act
 * @template Result
 * @returns {Promise<{ timing: Timing, result: Result }>}
 */
export async function takeTime(watched, act) {
  let peakMemory = memoryOf(watched);
  const watcher = setInterval(() => {
    peakMemory = Math.max(peakMemory, memoryOf(watched));
  }, memoryIntervalMs);
  try {
    const begin = processTimes(watched);
    const ownBegin = process.cpuUsage();
    const at = now();
    const result = await act();
    const until = now();
    const own = process.cpuUsage(ownBegin);
    const end = processTimes(watched);
    return {
      result,
      timing: {
        begin: at,
        end: until,
        seconds: (until - at) / 1000,
        serverSeconds: end.servers - begin.servers,
        databaseSeconds: watched.postmaster === undefined ? Number.NaN : databaseSeconds(begin, end),
        clientSeconds: (own.user + own.system) / 1e6,
        peakMemory,
      },
    };
  } finally {
    clearInterval(watcher);
  }
}

/** Resident bytes of the watched servers. */
export function memoryOf({ servers }) {
  return servers.reduce((sum, pid) => sum + residentBytes(pid), 0);
}
