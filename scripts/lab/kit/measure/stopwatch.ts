import { databaseSeconds, processTimes, residentBytes, type Watched } from './processes.js';

const memoryIntervalMs = 20;

/** The measurements of one call. */
export interface Timing {
  readonly seconds: number;
  /** Processor time of the servers. */
  readonly serverSeconds: number;
  /** Processor time of PostgreSQL; NaN if it runs on another machine. */
  readonly databaseSeconds: number;
  /** Processor time of this process. */
  readonly clientSeconds: number;
  /** Peak resident bytes of the servers. */
  readonly peakMemory: number;
}

/** Calls a function and measures it. */
export async function measureOnce<Result>(
  watched: Watched,
  call: () => Promise<Result>,
): Promise<{ timing: Timing; result: Result }> {
  let peakMemory = residentBytes(watched.servers);
  const sampler = setInterval(() => {
    peakMemory = Math.max(peakMemory, residentBytes(watched.servers));
  }, memoryIntervalMs);
  try {
    const before = processTimes(watched);
    const ownBefore = process.cpuUsage();
    const startedAt = performance.now();
    const result = await call();
    const seconds = (performance.now() - startedAt) / 1000;
    const own = process.cpuUsage(ownBefore);
    const after = processTimes(watched);
    return {
      result,
      timing: {
        seconds,
        serverSeconds: after.servers - before.servers,
        databaseSeconds: watched.postmaster === undefined ? Number.NaN : databaseSeconds(before, after),
        clientSeconds: (own.user + own.system) / 1e6,
        peakMemory,
      },
    };
  } finally {
    clearInterval(sampler);
  }
}
