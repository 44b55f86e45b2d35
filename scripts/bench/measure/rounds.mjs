import { toSample } from './sample.mjs';

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {{ ports: number[], pids: number[] }} subject
 * @property {() => Promise<{ driver: string, input: object }>} job Makes the job of one round.
 * @property {string} [database] That it works on, where not all contestants do on the same.
 * @property {(result: object) => Promise<void>} [verify] Tries out what was handed out.
 */

/** Connections under which a server finds its pace, however many the measurement has. */
const settleConnections = 32;

/**
 * Measures subjects in turn, round after round, so that whatever else the machine does meets all of them. The order
 * moves on by one each round.
 *
 * @param {object} context
 * @param {{ contestants: Contestant[], connections: number, database: string, seconds?: number }} what
 *   seconds: that a contestant is measured for in a round, where not the usual
 * @returns {Promise<Map<string, import('./sample.mjs').Sample[]>>}
 */
export async function measureRounds(context, { contestants, connections, database, seconds }) {
  const { options, progress } = context;
  const samples = new Map(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await settle(context, contestant, { database });
  for (let round = 0; round < options.rounds; round += 1) {
    for (let place = 0; place < contestants.length; place += 1) {
      const contestant = contestants[(place + round) % contestants.length];
      const { result, watched } = await runOnce(context, contestant, {
        connections,
        database,
        warmupSeconds: 0.3,
        seconds: seconds ?? options.seconds,
      });
      samples.get(contestant.name).push(toSample(result, watched));
    }
    progress(`round ${round + 1} of ${options.rounds}`);
  }
  return samples;
}

/** Code that runs for the first time is interpreted, and memory has not found its size yet. */
export function settle(context, contestant, { database }) {
  const { settleSeconds: seconds } = context.options;
  return runOnce(context, contestant, {
    connections: settleConnections,
    database,
    warmupSeconds: 0,
    seconds,
  });
}

/** Puts one contestant under load and checks what it answers. */
export async function runOnce(context, { name, subject, job, verify, database }, settings) {
  const { connections, warmupSeconds, seconds } = settings;
  const { postmaster } = context.server;
  const watched = { servers: subject.pids, postmaster, database: database ?? settings.database };
  const { driver, input } = await job();
  const result = await context.generator
    .run({ driver, input, ports: subject.ports, connections, warmupSeconds, seconds, watched })
    .catch((cause) => {
      throw new Error(`${name}: ${cause.message}`, { cause });
    });
  if (result.checked === 0) throw new Error(`${name}: no answer was looked at`);
  await verify?.(result);
  return { result, watched };
}
