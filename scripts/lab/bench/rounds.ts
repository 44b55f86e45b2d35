import type { Job, JobResult } from '../kit/load/load.js';
import type { Watched } from '../kit/measure/processes.js';
import type { Service } from '../kit/server/process.js';
import type { Context } from './context.js';
import type { Role } from './report/svg.js';
import { type Sample, toSample } from './sample.js';

/** A server under load: ours or a baseline. */
export interface Target {
  readonly name: string;
  /** Its bar in the chart, if it has one. */
  readonly role?: Role;
  readonly service: Service;
  /** The database whose sessions are measured, and the first process of its server, if they differ between targets. */
  readonly database?: string;
  readonly postmaster?: number;
  /** Creates the job of one round. */
  job(): Promise<Job>;
  /** Verifies the tokens that were issued under load. */
  verify?(result: JobResult): Promise<void>;
}

export type Samples = ReadonlyMap<string, readonly Sample[]>;

interface RunSettings {
  readonly connections: number;
  readonly database?: string;
  readonly warmupSeconds: number;
  readonly seconds: number;
}

/** Connections during warm-up, in every scenario. */
const settleConnections = 32;

/**
 * Measures targets in turn, round after round, so that other activity of the machine affects all of them. The order rotates
 * by one in each round.
 *
 * @param what seconds: for each target in each round, if it differs from the option
 */
export async function measureRounds(
  context: Context,
  {
    targets,
    connections,
    database,
    seconds,
  }: { targets: readonly Target[]; connections: number; database?: string; seconds?: number },
): Promise<Samples> {
  const { options, progress } = context;
  const samples = new Map<string, Sample[]>(targets.map(({ name }) => [name, []]));
  const settings = { connections, database, warmupSeconds: 0.3, seconds: seconds ?? options.seconds };
  for (const target of targets) await settle(context, target, database);
  for (let round = 0; round < options.rounds; round += 1) {
    for (let place = 0; place < targets.length; place += 1) {
      const target = targets[(place + round) % targets.length];
      const { result, watched } = await runOnce(context, target, settings);
      samples.get(target.name)?.push(toSample(result, watched));
    }
    progress(`round ${round + 1} of ${options.rounds}`);
  }
  return samples;
}

/** Puts a target under load until its code is compiled and its heap has reached its size. */
async function settle(context: Context, target: Target, database?: string): Promise<void> {
  const { settleSeconds: seconds } = context.options;
  await runOnce(context, target, { connections: settleConnections, database, warmupSeconds: 0, seconds });
}

/** Puts one target under load and verifies its responses. */
async function runOnce(
  context: Context,
  target: Target,
  settings: RunSettings,
): Promise<{ result: JobResult; watched: Watched }> {
  const { name, service, database = settings.database, postmaster = context.server.postmaster } = target;
  const { connections, warmupSeconds, seconds } = settings;
  const watched = { servers: service.pids, postmaster, database };
  const job = await target.job();
  const result = await context.generator
    .run({ ...job, ports: service.ports, connections, warmupSeconds, seconds, watched })
    .catch((cause) => {
      throw new Error(`${name}: ${cause.message}`, { cause });
    });
  if (result.checked === 0) throw new Error(`${name}: no response was checked`);
  await target.verify?.(result);
  return { result, watched };
}
