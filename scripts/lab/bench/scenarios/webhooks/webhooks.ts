import { setTimeout as wait } from 'node:timers/promises';
import {
  databaseSeconds,
  processTimes,
  residentBytes,
  type Watched,
} from '../../../kit/measure/processes.js';
import type { ServerProcess } from '../../../kit/server/process.js';
import { ratios, spread } from '../../../kit/statistics.js';
import type { Table } from '../../../kit/table.js';
import { bar } from '../../bars.js';
import { startReceiver, startSender } from '../../baselines/start.js';
import type { ReceiverState } from '../../baselines/webhooks/receiver.js';
import type { SendCommand } from '../../baselines/webhooks/sender.js';
import type { Context, Finding, Scenario } from '../../context.js';
import { sizes } from '../../databases.js';
import { type Setting, withSetting } from '../setting.js';
import { createEndpoints, startBacklog } from './backlog.js';

/** The deliveries of a process in some seconds. */
interface DeliverySample {
  readonly deliveries: number;
  readonly perSecond: number;
  /** Deliveries per second of processor time of the process. */
  readonly perServerSecond: number;
  /** The same for the process and PostgreSQL together. */
  readonly perTotalSecond: number;
  readonly memory: number;
}

/** Concurrent deliveries of our server. */
const inFlight = 100;

/** Milliseconds of a round before the measurement. */
const warmupMs = 1_500;

/** Deliveries of a process before the first round, in some rounds at most. */
const settleDeliveries = 10_000;
const settleRounds = 4;

/** The required ratio of our deliveries per processor second to those of the loop. */
const atLeast = 0.6;

const ours = 'our server';
const loop = 'undici';

/** Deliveries of webhooks, compared with a loop that sends the same requests. */
export const webhookScenarios: readonly Scenario[] = [
  scenario('webhook-deliveries-small', 1),
  scenario('webhook-deliveries-full', 100),
];

function scenario(name: string, events: number): Scenario {
  const title = `Webhooks with ${events === 1 ? 'an event' : `${events} events`} to ${sizes.webhooks.tenants} endpoints, ${inFlight} at a time`;
  return {
    name,
    title,
    run: (context) => withSetting(context, 'webhooks', (setting) => run(context, setting, events)),
  };
}

async function run(context: Context, setting: Setting, events: number): Promise<Finding> {
  const { options, progress } = context;
  const { deliver, send } = await prepare(context, setting, events);
  const samples: Record<string, DeliverySample[]> = { [ours]: [], [loop]: [] };
  for (const measure of [deliver, send]) await settle(measure, options.settleSeconds);
  for (let round = 0; round < options.rounds; round += 1) {
    const order = round % 2 === 0 ? [ours, loop] : [loop, ours];
    for (const name of order) samples[name].push(await (name === ours ? deliver : send)(options.seconds));
    progress(`round ${round + 1} of ${options.rounds}`);
  }
  const rates = (name: string) => samples[name].map(({ perServerSecond }) => perServerSecond);
  const text = `${ours} ÷ ${loop}: deliveries per processor second`;
  return { table: tableOf(samples), bars: [bar(text, ratios(rates(ours), rates(loop)), { atLeast })] };
}

/** Delivers until the code is compiled. Our server delivers fewer in a second than the loop. */
async function settle(measure: (seconds: number) => Promise<DeliverySample>, seconds: number) {
  for (let deliveries = 0, rounds = 0; deliveries < settleDeliveries && rounds < settleRounds; rounds += 1)
    deliveries += (await measure(seconds)).deliveries;
}

/** Starts our server with its endpoints, the receiver, and the loop with webhooks that our server sent. */
async function prepare(
  { server: { postmaster } }: Context,
  { database, start, startOurs }: Setting,
  events: number,
) {
  const receiver = await start(startReceiver());
  const url = `http://localhost:${receiver.port}/`;
  // Production does not send to `http://localhost`.
  const server = await startOurs({ environment: { NODE_ENV: 'development' } });
  await createEndpoints(server, database, url);
  const sender = await start(startSender());
  const deliver = async (seconds: number) => {
    await receiver.message({ reset: events });
    const stop = await startBacklog(database, events);
    await wait(warmupMs);
    const watched = { servers: server.pids, postmaster, database: database.name };
    const sample = await measureDeliveries(receiver, watched, seconds);
    await stop();
    return sample;
  };
  await deliver(1);
  const { recorded = [] } = await receiver.message<ReceiverState>({ isRecording: true });
  const send = async (seconds: number) => {
    await receiver.message({ reset: events });
    const command: SendCommand = { url, inFlight, recorded };
    await sender.message(command);
    await wait(warmupMs);
    const sample = await measureDeliveries(receiver, { servers: sender.pids }, seconds);
    await sender.message({ stop: true });
    return sample;
  };
  return { deliver, send };
}

/**
 * Measures the deliveries to a receiver, and the processor time of the sending process.
 *
 * @throws {Error} when deliveries are wrong
 */
async function measureDeliveries(
  receiver: ServerProcess,
  watched: Watched,
  seconds: number,
): Promise<DeliverySample> {
  const first = await receiver.message<ReceiverState>({});
  const before = processTimes(watched);
  const startedAt = performance.now();
  await wait(seconds * 1000);
  const last = await receiver.message<ReceiverState>({});
  const after = processTimes(watched);
  const elapsedMs = performance.now() - startedAt;
  if (last.wrong > 0) throw new Error(`${last.wrong} deliveries have other events`);
  const deliveries = last.deliveries - first.deliveries;
  const processorSeconds = after.servers - before.servers;
  return {
    deliveries,
    perSecond: (deliveries / elapsedMs) * 1000,
    perServerSecond: deliveries / processorSeconds,
    perTotalSecond: deliveries / (processorSeconds + databaseSeconds(before, after)),
    memory: residentBytes(watched.servers),
  };
}

function tableOf(samples: Readonly<Record<string, readonly DeliverySample[]>>): Table {
  return {
    columns: ['', 'deliveries/s', 'per server CPU s', 'per server + PostgreSQL CPU s', 'RSS MB'],
    rows: Object.entries(samples).map(([name, list]) => {
      const of = (metric: keyof DeliverySample) => {
        const { median, least, most } = spread(list.map((sample) => sample[metric]));
        return `${median.toFixed(0)} (${least.toFixed(0)}–${most.toFixed(0)})`;
      };
      const memory = (spread(list.map((sample) => sample.memory)).median / 1e6).toFixed(0);
      return [
        name,
        of('perSecond'),
        of('perServerSecond'),
        name === ours ? of('perTotalSecond') : '—',
        memory,
      ];
    }),
  };
}
