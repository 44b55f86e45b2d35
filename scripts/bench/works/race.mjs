import { profiled } from '../measure/profile.mjs';
import { ratios, spread } from '../measure/statistics.mjs';
import { memoryOf, takeTime } from '../measure/stopwatch.mjs';
import { bar } from './bars.mjs';
import { withScene } from './scene.mjs';

/** Each of these takes seconds. */
const usualMostRounds = 3;

/**
 * @typedef {object} Race The same, done by our server and by PostgreSQL's own copy.
 * @property {import('../subjects/subject.mjs').Subject} subject
 * @property {{ name: string, act: () => Promise<object>, isRight: (result: object) => boolean,
 *   units: (result: object) => number, unit: string }} ours
 * @property {{ name: string, act: () => Promise<void> }} copy
 * @property {number} atMost How many times as long ours may take.
 * @property {number} [mostRounds] Rounds, unless fewer were requested.
 * @property {number} [atMostMemory] Bytes that the server may need beyond what it has when idle.
 */

/**
 * Makes a work of a race.
 *
 * @param {{ name: string, title: string, database: string, prepare: (scene: import('./scene.mjs').Scene) =>
 *   Promise<Race> }} what
 */
export function race({ name, title, database, prepare }) {
  return {
    name,
    title,
    run: (context) =>
      withScene(context, { database }, async (scene) => measureRace(context, scene, await prepare(scene))),
    profile: (context) =>
      profiled(name, (profileDirectory) =>
        withScene(context, { database, profileDirectory }, async (scene) => {
          const { subject, ours } = await prepare(scene);
          const { timing, result } = await takeTime({ servers: subject.pids }, ours.act);
          const { begin, end, serverSeconds: processorSeconds } = timing;
          return { begin, end, processorSeconds, units: ours.units(result), unit: ours.unit };
        }),
      ),
  };
}

async function measureRace(context, { database }, race) {
  const { subject, ours, copy, atMost, mostRounds = usualMostRounds, atMostMemory } = race;
  const { options, server, progress } = context;
  const watched = { servers: subject.pids, postmaster: server.postmaster, database: database.name };
  const idle = memoryOf(watched);
  const times = { ours: [], copy: [] };
  const rounds = Math.min(mostRounds, options.rounds);
  for (let round = 0; round < rounds; round += 1) {
    times.copy.push((await takeTime(watched, copy.act)).timing);
    const { timing, result } = await takeTime(watched, ours.act);
    if (!ours.isRight(result))
      throw new Error(`${ours.name} did not bring what it must: ${JSON.stringify(result)}`);
    times.ours.push(timing);
    progress(`round ${round + 1} of ${rounds}`);
  }
  const seconds = (list) => list.map((timing) => timing.seconds);
  const bars = [
    bar(`${ours.name} ÷ ${copy.name}: time`, ratios(seconds(times.ours), seconds(times.copy)), { atMost }),
  ];
  if (atMostMemory !== undefined) {
    const beyondIdle = times.ours.map(({ peakMemory }) => (peakMemory - idle) / 1e6);
    bars.push(
      bar('memory beyond that of the idle server, MB', spread(beyondIdle), { atMost: atMostMemory / 1e6 }),
    );
  }
  return {
    table: {
      columns: ['', 'seconds', 'server CPU s', 'PostgreSQL CPU s', 'client CPU s', 'peak RSS MB'],
      rows: [row(ours.name, times.ours), row(copy.name, times.copy).fill('—', 2)],
    },
    bars,
  };
}

function row(name, timings) {
  const of = (metric) => spread(timings.map((timing) => timing[metric]));
  const { median, least, most } = of('seconds');
  return [
    name,
    `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`,
    of('serverSeconds').median.toFixed(2),
    of('databaseSeconds').median.toFixed(2),
    of('clientSeconds').median.toFixed(2),
    (of('peakMemory').median / 1e6).toFixed(0),
  ];
}
