import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { markdown } from '../report/tables.mjs';
import { packageRoot } from '../root.mjs';
import { runOnce, settle } from './rounds.mjs';

const shownFunctions = 30;

/**
 * Has a server write a profile while it is under load, and says where its time went.
 *
 * @param {object} context
 * @param {string} directory where the profile is left, for a viewer
 * @param {(measure: Function) => Promise<{ begin: number, end: number }>} act prepares a contestant that writes its
 *   profile to the directory, hands it to `measure`, and stops it
 */
export async function profileUnderLoad(context, directory, act) {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const window = await act(async (contestant, { connections, database }) => {
    await settle(context, contestant, { database });
    const { seconds } = context.options;
    const { result } = await runOnce(context, contestant, {
      connections,
      database,
      warmupSeconds: 0.3,
      seconds,
    });
    const { begin, end, latencies } = result;
    return {
      begin: begin.at,
      end: end.at,
      requests: latencies.length,
      processorSeconds: end.servers - begin.servers,
    };
  });
  const [name] = readdirSync(directory).filter((file) => file.endsWith('.cpuprofile'));
  const file = path.join(directory, name);
  const times = selfTimes(JSON.parse(readFileSync(file, 'utf8')), window);
  return describe(times, { file, ...window });
}

/**
 * Time that each function was on top of the stack within a window; both clocks are the machine's monotonic one.
 *
 * @returns {Map<string, { milliseconds: number, origin: string }>}
 */
function selfTimes({ nodes, samples, timeDeltas, startTime }, { begin, end }) {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, describeFrame(callFrame)]));
  const times = new Map();
  let at = startTime / 1000;
  for (let index = 0; index < samples.length; index += 1) {
    const delta = timeDeltas[index] / 1000;
    at += delta;
    if (at < begin || at > end) continue;
    const { label, origin } = frames.get(samples[index]);
    const entry = times.get(label) ?? { milliseconds: 0, origin };
    entry.milliseconds += delta;
    times.set(label, entry);
  }
  return times;
}

function describeFrame({ functionName, url, lineNumber }) {
  const name = functionName || '(anonymous)';
  if (url === '') return { label: name, origin: name.startsWith('(') ? name : '(native)' };
  const file = url.replace(/^file:\/\//, '').replace(`${packageRoot}/`, '');
  const [, dependency] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  const origin = dependency ?? (file.startsWith('node:') ? 'node' : path.dirname(file));
  return { label: `${name} ${file.replace(/.*node_modules\//, '')}:${lineNumber + 1}`, origin };
}

function describe(times, { file, requests, processorSeconds }) {
  const idle = times.get('(idle)')?.milliseconds ?? 0;
  times.delete('(idle)');
  const busy = [...times.values()].reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const row = ([label, milliseconds]) => [
    label,
    ((milliseconds / requests) * 1000).toFixed(1),
    `${((milliseconds / busy) * 100).toFixed(1)} %`,
  ];
  const byOrigin = new Map();
  for (const { origin, milliseconds } of times.values()) {
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + milliseconds);
  }
  const most = (entries) => [...entries].sort(([, a], [, b]) => b - a);
  const functions = [...times].map(([label, { milliseconds }]) => [label, milliseconds]);
  const table = (title, entries) =>
    markdown({ columns: [title, 'µs a request', ''], rows: entries.map(row) });
  return [
    `${requests} requests; each took ${((processorSeconds / requests) * 1e6).toFixed(0)} µs of processor time, all ` +
      `threads together. The main thread was busy for ${((busy / requests) * 1000).toFixed(0)} µs each; the tables ` +
      'share that out. It is time by the clock: where the machine has too little to go round, calls that wake other ' +
      `processes look longer than they are. The thread was idle ${((idle / (idle + busy)) * 100).toFixed(0)} % of the ` +
      `time. ${path.relative(packageRoot, file)}`,
    table('Own time by origin', most(byOrigin)),
    table('Own time by function', most(functions).slice(0, shownFunctions)),
  ].join('\n\n');
}
