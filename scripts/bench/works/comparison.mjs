import path from 'node:path';
import { profiled } from '../measure/profile.mjs';
import { measureRounds, runOnce, settle } from '../measure/rounds.mjs';
import { sampleTable } from '../report/tables.mjs';
import { compare } from './bars.mjs';
import { withScene } from './scene.mjs';

/**
 * @typedef {object} Comparison
 * @property {string} name
 * @property {string} title
 * @property {number} connections
 * @property {string} database Kind of database that it is done on.
 * @property {(scene: import('./scene.mjs').Scene) => Promise<import('../measure/rounds.mjs').Contestant>} ours
 * @property {((scene: import('./scene.mjs').Scene, ours: object) => Promise<import('../measure/rounds.mjs').Contestant>)[]} peers
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
      withScene(context, { database: kind }, async (scene) => {
        const ours = await prepareOurs(scene);
        const { against } = context.options;
        const others = against?.map((root) => otherBuild(prepareOurs, root)) ?? peers;
        const contestants = [ours];
        for (const prepare of others) contestants.push(await prepare(scene, ours));
        const samples = await measureRounds(context, {
          contestants,
          connections,
          database: scene.database.name,
        });
        return {
          table: sampleTable(samples),
          bars: Object.entries(against === undefined ? bars : barsAgainst(against)).map(([peer, atLeast]) =>
            compare(samples, { of: ours.name, against: peer, bound: { atLeast } }),
          ),
        };
      }),
    profile: (context) =>
      profiled(name, (profileDirectory) =>
        withScene(context, { database: kind, profileDirectory }, async (scene) => {
          const ours = await prepareOurs(scene);
          const { name: database } = scene.database;
          await settle(context, ours, { database });
          const { seconds } = context.options;
          const settings = { connections, database, warmupSeconds: 0.3, seconds };
          const { begin, end, latencies } = (await runOnce(context, ours, settings)).result;
          return {
            begin: begin.at,
            end: end.at,
            units: latencies.length,
            unit: 'request',
            processorSeconds: end.servers - begin.servers,
          };
        }),
      ),
  };
}

/** What a change may cost: less than this differs from one run to the next. */
const otherBuildBar = 0.95;

function barsAgainst(roots) {
  return Object.fromEntries(roots.map((root) => [path.basename(root), otherBuildBar]));
}

/** The server as another checkout builds it, on the same database and under the same load. */
function otherBuild(prepareOurs, root) {
  return async (scene) => {
    const startOurs = () => scene.startOurs({ root });
    return { ...(await prepareOurs({ ...scene, startOurs })), name: path.basename(root) };
  };
}
