// The process that generates the load. It runs one job at a time. It reads the processor time of the servers itself, at
// the timestamps at which it starts and stops counting.
import { setTimeout as wait } from 'node:timers/promises';
import { processTimes, type Watched } from '../measure/processes.js';
import { Connection } from './connection.js';
import { dpopRequests } from './dpop-requests.js';
import { fixedRequests } from './fixed-requests.js';
import type { Job, JobResult, JobSettings, Load, Snapshot } from './load.js';
import { tokenChains } from './token-chains.js';

process.on('message', async (job: Job & JobSettings) => {
  try {
    process.send?.({ result: await run(job) });
  } catch (error) {
    process.send?.({ error: (error as Error).stack });
  }
});

function createLoad(job: Job): Load {
  switch (job.load) {
    case 'fixedRequests':
      return fixedRequests(job.input);
    case 'dpopRequests':
      return dpopRequests(job.input);
    case 'tokenChains':
      return tokenChains(job.input);
  }
}

async function run(job: Job & JobSettings): Promise<JobResult> {
  const load = createLoad(job);
  const { connections, warmupSeconds, seconds, watched } = job;
  const counter = { latencies: [] as number[], isCounting: false, isStopping: false };
  const open: Connection[] = [];
  const allStopped = new Promise<void>((resolve, reject) => {
    let running = connections;
    const stopped = () => {
      running -= 1;
      if (running === 0) resolve();
    };
    for (let index = 0; index < connections; index += 1) {
      open.push(connect(job, { load, index, counter, stopped, failed: reject }));
    }
  });
  try {
    await Promise.race([allStopped, wait(warmupSeconds * 1000)]);
    const begin = snapshot(watched);
    counter.isCounting = true;
    await Promise.race([allStopped, wait(seconds * 1000)]);
    counter.isCounting = false;
    const end = snapshot(watched);
    counter.isStopping = true;
    await allStopped;
    return { begin, end, latencies: Float64Array.from(counter.latencies), ...load.result() };
  } finally {
    for (const connection of open) connection.close();
  }
}

function connect(
  { ports, connections }: JobSettings,
  {
    load,
    index,
    counter,
    ...ending
  }: {
    load: Load;
    index: number;
    counter: { latencies: number[]; isCounting: boolean; isStopping: boolean };
    stopped: () => void;
    failed: (error: Error) => void;
  },
): Connection {
  const exchange = load.exchange(index, connections);
  let sentAt = 0;
  const connection = new Connection(ports[index % ports.length], {
    next() {
      if (counter.isStopping) return undefined;
      sentAt = performance.now();
      return exchange.next();
    },
    wantsBody: () => exchange.wantsBody(),
    received(status, length, body) {
      if (counter.isCounting) counter.latencies.push(performance.now() - sentAt);
      exchange.received(status, length, body);
    },
    ...ending,
  });
  connection.start();
  return connection;
}

function snapshot(watched: Watched): Snapshot {
  const { user, system } = process.cpuUsage();
  return { at: performance.now(), own: (user + system) / 1e6, ...processTimes(watched) };
}
