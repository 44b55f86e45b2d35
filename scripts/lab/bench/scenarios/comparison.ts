import path from 'node:path';
import { type Database, hasSameSchema } from '../../kit/database/postgresql.js';
import { median } from '../../kit/statistics.js';
import { compare } from '../bars.js';
import type { Context, Finding, Scenario } from '../context.js';
import type { DatabaseKind } from '../databases.js';
import type { ChartBar } from '../report/svg.js';
import { sampleTable } from '../report/tables.js';
import { measureRounds, type Samples, type Target } from '../rounds.js';
import type { Sample } from '../sample.js';
import { type Setting, withSetting } from './setting.js';

export interface Comparison<Ours extends Target> {
  readonly name: string;
  readonly title: string;
  readonly connections: number;
  readonly database: DatabaseKind;
  readonly ours: (setting: Setting) => Promise<Ours>;
  readonly baselines: readonly ((setting: Setting, ours: Ours) => Promise<Target>)[];
  /** The required ratio of our requests per processor second to those of each baseline. */
  readonly bars: Readonly<Record<string, number>>;
}

/** Permitted cost of a change. Smaller differences occur between two runs of the same build. */
const otherBuildBar = 0.95;

/** Creates a scenario that compares our server with baselines, or with other builds of it. */
export function comparison<Ours extends Target>(what: Comparison<Ours>): Scenario {
  return { name: what.name, title: what.title, run: (context) => run(context, what) };
}

async function run<Ours extends Target>(context: Context, what: Comparison<Ours>): Promise<Finding> {
  const { against, processes } = context.options;
  const samples = new Map<string, Sample[]>();
  let targets: readonly Target[] = [];
  for (let process = 0; process < processes; process += 1) {
    const measured = await measureProcesses(context, what);
    targets = measured.targets;
    for (const [name, added] of measured.samples) samples.set(name, [...(samples.get(name) ?? []), ...added]);
  }
  const bounds = against === undefined ? what.bars : boundsAgainst(against);
  return {
    table: sampleTable(samples),
    bars: Object.entries(bounds).map(([name, atLeast]) =>
      compare(samples, { of: targets[0].name, against: name, bound: { atLeast } }),
    ),
    chart: chartOf(targets, samples),
  };
}

/** Measures a new process of each server. */
function measureProcesses<Ours extends Target>(
  context: Context,
  { connections, database, ours: prepareOurs, baselines }: Comparison<Ours>,
): Promise<{ targets: readonly Target[]; samples: Samples }> {
  return withSetting(context, database, async (setting) => {
    const ours = await prepareOurs(setting);
    const { against, baselines: withBaselines } = context.options;
    const builds = (against ?? []).map((root) =>
      otherBuild(prepareOurs, root, () => context.database(database, root)),
    );
    const others = [...builds, ...(against === undefined || withBaselines ? baselines : [])];
    const targets: Target[] = [ours];
    for (const prepare of others) targets.push(await prepare(setting, ours));
    const samples = await measureRounds(context, { targets, connections, database: setting.database.name });
    return { targets, samples };
  });
}

function boundsAgainst(roots: readonly string[]): Record<string, number> {
  return Object.fromEntries(roots.map((root) => [path.basename(root), otherBuildBar]));
}

/** The build of another checkout under the same load, on the same database or on one of its own schema. */
function otherBuild<Ours extends Target>(
  prepareOurs: Comparison<Ours>['ours'],
  root: string,
  ownDatabase: () => Promise<Database>,
) {
  return async (setting: Setting): Promise<Target> => {
    const isShared = hasSameSchema(root);
    const database = isShared ? setting.database : await ownDatabase();
    const schemaRoot = isShared ? setting.schemaRoot : root;
    const startOurs = () => setting.startOurs({ root, databaseUrl: database.url });
    return {
      ...(await prepareOurs({ ...setting, database, schemaRoot, startOurs })),
      name: path.basename(root),
      role: undefined,
      database: database.name,
    };
  };
}

function chartOf(targets: readonly Target[], samples: Samples): ChartBar[] {
  return targets.flatMap(({ name, role }) => {
    if (role === undefined) return [];
    const values = (samples.get(name) ?? []).map(({ perServerSecond }) => perServerSecond);
    return [{ role, value: Math.round(median(values)) }];
  });
}
