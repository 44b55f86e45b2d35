import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { labRoot, packageRoot } from '../kit/paths.js';
import { markdown } from '../kit/table.js';

const shownFunctions = 30;

/** The window of a profile that is described. */
export interface ProfiledWindow {
  /** Milliseconds, see `clock.ts`. */
  readonly begin: number;
  readonly end: number;
  /** The amount of work of the server in this time, such as requests, and its unit. */
  readonly units: number;
  readonly unit: string;
  /** Used by the server in this time. */
  readonly processorSeconds: number;
}

/** The relevant members of a `.cpuprofile`; times are in microseconds. */
interface CpuProfile {
  readonly startTime: number;
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
  readonly nodes: readonly { readonly id: number; readonly callFrame: CallFrame }[];
}

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  readonly lineNumber: number;
}

/** Time of a function by its label. */
type SelfTimes = Map<string, { milliseconds: number; origin: string }>;

/**
 * Profiles a server and describes its time by function.
 *
 * @param name of the scenario; the profile is kept in a directory of that name, for a viewer
 * @param run starts a server that writes its profile to the directory, puts it under load and stops it
 */
export async function profiled(
  name: string,
  run: (directory: string) => Promise<ProfiledWindow>,
): Promise<string> {
  const directory = path.join(labRoot, 'bench', 'profiles', name);
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
  const window = await run(directory);
  const [profile] = readdirSync(directory).filter((file) => file.endsWith('.cpuprofile'));
  const file = path.join(directory, profile);
  return describe(selfTimes(JSON.parse(readFileSync(file, 'utf8')), window), file, window);
}

/** Time within a window in which each function was on top of the stack. Both use the monotonic clock. */
function selfTimes(
  { nodes, samples, timeDeltas, startTime }: CpuProfile,
  { begin, end }: ProfiledWindow,
): SelfTimes {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, describeFrame(callFrame)]));
  const times: SelfTimes = new Map();
  let at = startTime / 1000;
  samples.forEach((sample, index) => {
    const delta = timeDeltas[index] / 1000;
    at += delta;
    const frame = frames.get(sample);
    if (at < begin || at > end || frame === undefined) return;
    const milliseconds = (times.get(frame.label)?.milliseconds ?? 0) + delta;
    times.set(frame.label, { milliseconds, origin: frame.origin });
  });
  return times;
}

function describeFrame({ functionName, url, lineNumber }: CallFrame): { label: string; origin: string } {
  const name = functionName || '(anonymous)';
  if (url === '') return { label: name, origin: name.startsWith('(') ? name : '(native)' };
  const file = url.replace(/^file:\/\//, '').replace(`${packageRoot}/`, '');
  const [, dependency] = /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file) ?? [];
  const origin = dependency ?? (file.startsWith('node:') ? 'node' : path.dirname(file));
  return { label: `${name} ${file.replace(/.*node_modules\//, '')}:${lineNumber + 1}`, origin };
}

function describe(times: SelfTimes, file: string, { units, unit, processorSeconds }: ProfiledWindow): string {
  const idle = times.get('(idle)')?.milliseconds ?? 0;
  times.delete('(idle)');
  const busy = [...times.values()].reduce((sum, { milliseconds }) => sum + milliseconds, 0);
  const each = (milliseconds: number) => ((milliseconds / units) * 1000).toFixed(1);
  const share = (part: number, whole: number) => `${((part / whole) * 100).toFixed(1)} %`;
  const table = (title: string, entries: readonly [string, number][]) =>
    markdown({
      columns: [title, `µs a ${unit}`, ''],
      rows: entries.map(([label, milliseconds]) => [label, each(milliseconds), share(milliseconds, busy)]),
    });
  const byOrigin = new Map<string, number>();
  for (const { origin, milliseconds } of times.values()) {
    byOrigin.set(origin, (byOrigin.get(origin) ?? 0) + milliseconds);
  }
  const functions = new Map([...times].map(([label, { milliseconds }]) => [label, milliseconds]));
  const sorted = (entries: ReadonlyMap<string, number>) => [...entries].sort(([, a], [, b]) => b - a);
  return [
    `${Math.round(units)} × ${unit}; each took ${each(processorSeconds * 1000)} µs of processor time in all threads. ` +
      `The main thread was busy for ${each(busy)} µs each and idle ${share(idle, idle + busy)} of the time. The tables ` +
      'show the busy time by the clock: on a busy machine, calls that wake other processes look longer than they are. ' +
      path.relative(packageRoot, file),
    table('Own time by origin', sorted(byOrigin)),
    table('Own time by function', sorted(functions).slice(0, shownFunctions)),
  ].join('\n\n');
}
