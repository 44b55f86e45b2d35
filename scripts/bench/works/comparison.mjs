import path from 'node:path';
import { profileUnderLoad } from '../measure/profile.mjs';
import { measureRounds } from '../measure/rounds.mjs';
import { sampleTable } from '../report/tables.mjs';
import { benchRoot } from '../root.mjs';
import { startOurs } from '../subjects/ours.mjs';
import { compare } from './bars.mjs';

/**
 * @typedef {object} Scene Where contestants are prepared.
 * @property {{ name: string, url: string }} database
 * @property {<T>(starting: Promise<T>) => Promise<T>} start Sees to it that a subject is stopped in the end.
 * @property {() => Promise<import('../subjects/subject.mjs').Subject>} startOurs
 */

/**
 * @typedef {object} Comparison
 * @property {string} name
 * @property {string} title
 * @property {number} connections
 * @property {string} database Kind of database that it is done on.
 * @property {(scene: Scene) => Promise<import('../measure/rounds.mjs').Contestant>} ours
 * @property {((scene: Scene, ours: object) => Promise<import('../measure/rounds.mjs').Contestant>)[]} peers
 * @property {Record<string, number>} bars How many times a peer's requests a processor second ours must be.
 */

/**
 * Makes a work of a comparison.
 *
 * @param {Comparison} comparison
 */
export function comparison({ name, title, connections, database: kind, ours: prepareOurs, peers, bars }) {
  return {
    name,
    title,
    run: (context) =>
      withScene(context, kind, {}, async (scene) => {
        const ours = await prepareOurs(scene);
        const contestants = [ours];
        for (const prepare of peers) contestants.push(await prepare(scene, ours));
        const samples = await measureRounds(context, {
          contestants,
          connections,
          database: scene.database.name,
        });
        return {
          table: sampleTable(samples),
          bars: Object.entries(bars).map(([peer, atLeast]) =>
            compare(samples, { of: ours.name, against: peer, bound: { atLeast } }),
          ),
        };
      }),
    async profile(context) {
      const profileDirectory = path.join(benchRoot, 'profiles', name);
      return profileUnderLoad(context, profileDirectory, (measure) =>
        withScene(context, kind, { profileDirectory }, async (scene) =>
          measure(await prepareOurs(scene), { connections, database: scene.database.name }),
        ),
      );
    },
  };
}

async function withScene(context, kind, { profileDirectory }, act) {
  const database = await context.database(kind);
  const running = [];
  const start = async (starting) => {
    const subject = await starting;
    running.push(subject);
    return subject;
  };
  try {
    return await act({
      database,
      start,
      startOurs: () => start(startOurs({ databaseUrl: database.url, profileDirectory })),
    });
  } finally {
    for (const subject of running) await subject.stop();
  }
}
