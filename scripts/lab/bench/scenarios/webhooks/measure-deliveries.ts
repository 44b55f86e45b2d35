import { setTimeout as wait } from 'node:timers/promises';
import { now } from '../../../kit/measure/clock.js';
import {
  databaseSeconds,
  processTimes,
  residentBytes,
  type Watched,
} from '../../../kit/measure/processes.js';
import type { ServerProcess } from '../../../kit/server/process.js';
import type { ReceiverState } from '../../baselines/webhooks/recorded.js';

/** The deliveries of a process in some seconds. */
export interface DeliverySample {
  /** Milliseconds, see `clock.ts`. */
  readonly begin: number;
  readonly end: number;
  readonly deliveries: number;
  readonly processorSeconds: number;
  readonly perSecond: number;
  /** Deliveries per second of processor time of the process. */
  readonly perServerSecond: number;
  /** The same for the process and PostgreSQL together. */
  readonly perTotalSecond: number;
  readonly memory: number;
}

/**
 * Measures the deliveries to a receiver, and the processor time of the sending process.
 *
 * @throws {Error} when deliveries are wrong
 */
export async function measureDeliveries(
  receiver: ServerProcess,
  watched: Watched,
  seconds: number,
): Promise<DeliverySample> {
  const first = await receiver.message<ReceiverState>({});
  const before = processTimes(watched);
  const begin = now();
  await wait(seconds * 1000);
  const last = await receiver.message<ReceiverState>({});
  const after = processTimes(watched);
  const end = now();
  if (last.wrong > 0) throw new Error(`${last.wrong} deliveries have other events`);
  const deliveries = last.deliveries - first.deliveries;
  const processorSeconds = after.servers - before.servers;
  return {
    ...{ begin, end, deliveries, processorSeconds },
    perSecond: (deliveries / (end - begin)) * 1000,
    perServerSecond: deliveries / processorSeconds,
    perTotalSecond: deliveries / (processorSeconds + databaseSeconds(before, after)),
    memory: residentBytes(watched.servers),
  };
}
