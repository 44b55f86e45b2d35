import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { markdown } from '../report/tables.mjs';
import { benchRoot, packageRoot } from '../root.mjs';

const shownFunctions = 30;

/**
 * @typedef {object} ProfiledWindow What a profile is looked at for.
 * @property {number} begin Milliseconds, see `clock.mjs`.
 * @property {number} end
 * @property {number} units What the server did meanwhile, such as requests.
 * @property {string} unit What one of these is called.
 * @property {number} processorSeconds That the server used meanwhile.
 */

/**
 * Has a server write a profile, and says where its time went.
 *
 * @param {string} name of the work; the profile is left in a directory of that name, for a viewer
 * @param {(directory: string) => Promise<ProfiledWindow>} act starts a server that writes its profile to the directory,
 *   puts it to work, and stops it
 */
export async function profiled(name, act) {
  const directory = path.join(benchRoot, 'profiles', name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const window = await act(directory);
  const [profile] = readdirSync(directory).filter((file) => file.endsWith('.cpuprofile'));
  const file = path.join(directory, profile);
  return describe(selfTimes(JSON.parse(readFileSync(file, 'utf8')), window), { file, ...window });
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

function describe(times, { file, units, unit, processorSeconds }) {
  const idle = times.get('(idle)')?.milliseconds ?? 0;
  times.delete('(idle)');
  const busy = [...times.values()].reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const each = (milliseconds) => ((milliseconds / units) * 1000).toFixed(1);
  const share = (part, whole) => `${((part / whole) * 100).toFixed(1)} %`;
  const table = (title, entries) =>
    markdown({
      columns: [title, `µs a ${unit}`, ''],
      rows: entries.map(([label, milliseconds]) => [label, each(milliseconds), share(milliseconds, busy)]),
    });
  const byOrigin = new Map();
  for (const { origin, milliseconds } of times.values()) {
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + milliseconds);
  }
  const functions = [...times].map(([label, { milliseconds }]) => [label, milliseconds]);
  const most = (entries) => [...entries].sort(([, a], [, b]) => b - a);
  return [
    `${Math.round(units)} × ${unit}; each took ${each(processorSeconds * 1000)} µs of processor time, all threads ` +
      `together. The main thread was busy for ${each(busy)} µs each and idle ${share(idle, idle + busy)} of the time; ` +
      'the tables share out what it was busy with. It is time by the clock: where the machine has too little to go ' +
      `round, calls that wake other processes look longer than they are. ${path.relative(packageRoot, file)}`,
    table('Own time by origin', most(byOrigin)),
    table('Own time by function', most(functions).slice(0, shownFunctions)),
  ].join('\n\n');
}
