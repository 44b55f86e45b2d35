// The process that makes the load. It takes one job at a time from the process that started it, and reads the
// processor time of the servers itself, at the very moments at which it begins and ends to count.
import { now } from '../measure/clock.mjs';
import { processTimes } from '../measure/processor-time.mjs';
import { Connection } from './connection.mjs';
import { fixedRequests } from './fixed-requests.mjs';
import { tokenChains } from './token-chains.mjs';

const drivers = { fixedRequests, tokenChains };

process.on('message', async (job) => {
  try {
    process.send({ result: await run(job) });
  } catch (error) {
    process.send({ error: error.stack });
  }
});

/**
 * @param {object} job
 * @param {keyof drivers} job.driver
 * @param {object} job.input What the driver takes.
 * @param {number[]} job.ports Of the processes that serve; connections are shared out among them.
 * @param {number} job.connections
 * @param {number} job.warmupSeconds Before anything counts.
 * @param {number} job.seconds
 * @param {import('../measure/processor-time.mjs').Watched} job.watched
 */
async function run({ driver, input, ports, connections, warmupSeconds, seconds, watched }) {
  const load = drivers[driver](input);
  const latencies = [];
  let counting = false;
  let stopping = false;
  const open = [];
  const allStopped = new Promise((resolve, reject) => {
    let stopped = 0;
    for (let index = 0; index < connections; index += 1) {
      const exchange = load.exchange(index, connections);
      let sentAt = 0;
      const connection = new Connection(
        { host: '127.0.0.1', port: ports[index % ports.length] },
        {
          next() {
            if (stopping) return null;
            sentAt = performance.now();
            return exchange.next();
          },
          wantsBody: () => exchange.wantsBody(),
          answered(status, length, body) {
            if (counting) latencies.push(performance.now() - sentAt);
            exchange.answered(status, length, body);
          },
          failed: reject,
          stopped() {
            stopped += 1;
            if (stopped === connections) resolve();
          },
        },
      );
      open.push(connection);
      connection.start();
    }
  });
  try {
    await Promise.race([allStopped, sleep(warmupSeconds)]);
    const begin = snapshot(watched);
    counting = true;
    await Promise.race([allStopped, sleep(seconds)]);
    counting = false;
    const end = snapshot(watched);
    stopping = true;
    await allStopped;
    return { begin, end, latencies: Float64Array.from(latencies), ...load.result() };
  } finally {
    for (const connection of open) connection.close();
  }
}

function snapshot(watched) {
  const { user, system } = process.cpuUsage();
  return { at: now(), own: (user + system) / 1e6, ...processTimes(watched) };
}

function sleep(seconds) {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
