import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Database } from '../../kit/database/postgresql.js';
import type { Tenant } from '../../kit/database/tenants.js';
import { residentBytes } from '../../kit/measure/processes.js';
import { measureOnce, type Timing } from '../../kit/measure/stopwatch.js';
import type { Service } from '../../kit/server/process.js';
import { ratios, spread } from '../../kit/statistics.js';
import { bar } from '../bars.js';
import type { Context, Finding, Scenario } from '../context.js';
import type { DatabaseKind } from '../databases.js';
import { type Setting, withSetting } from './setting.js';

const columns = 'id, employee_number, first_name, last_name, email, status, department';

/** The columns of a list. */
const stored = `${columns}, updated_at`;

/** The columns of a report, with timestamps as the API writes them. */
export const formatted = `${columns},
  to_char(updated_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') AS updated_at`;

/** Maximum number of rounds; each takes seconds. */
const defaultMostRounds = 3;

/** The same data, read from our server and copied by PostgreSQL. */
interface CopyComparison<Result> {
  readonly service: Service;
  readonly ours: {
    readonly name: string;
    readonly read: () => Promise<Result>;
    readonly isCorrect: (result: Result) => boolean;
  };
  readonly copy: { readonly name: string; readonly read: () => Promise<void> };
  /** Maximum ratio of our time to that of COPY. */
  readonly atMost: number;
  readonly mostRounds?: number;
  /** Maximum memory of the server in addition to that of the idle server, in bytes. */
  readonly atMostMemory?: number;
}

/** Creates a scenario that compares our server with COPY. */
export function copyComparison<Result>({
  name,
  title,
  database,
  prepare,
}: {
  name: string;
  title: string;
  database: DatabaseKind;
  prepare: (setting: Setting) => Promise<CopyComparison<Result>>;
}): Scenario {
  return {
    name,
    title,
    run: (context) =>
      withSetting(context, database, async (setting) => measure(context, setting, await prepare(setting))),
  };
}

async function measure<Result>(
  { options, server, progress }: Context,
  { database }: Setting,
  { service, ours, copy, atMost, mostRounds = defaultMostRounds, atMostMemory }: CopyComparison<Result>,
): Promise<Finding> {
  const watched = { servers: service.pids, postmaster: server.postmaster, database: database.name };
  const idle = residentBytes(service.pids);
  const times = { ours: [] as Timing[], copy: [] as Timing[] };
  const rounds = Math.min(mostRounds, options.rounds);
  for (let round = 0; round < rounds; round += 1) {
    times.copy.push((await measureOnce(watched, copy.read)).timing);
    const { timing, result } = await measureOnce(watched, ours.read);
    if (!ours.isCorrect(result)) throw new Error(`${ours.name}: wrong result ${JSON.stringify(result)}`);
    times.ours.push(timing);
    progress(`round ${round + 1} of ${rounds}`);
  }
  const seconds = (timings: readonly Timing[]) => timings.map((timing) => timing.seconds);
  const bars = [
    bar(`${ours.name} ÷ ${copy.name}: time`, ratios(seconds(times.ours), seconds(times.copy)), { atMost }),
  ];
  if (atMostMemory !== undefined) {
    const aboveIdle = times.ours.map(({ peakMemory }) => (peakMemory - idle) / 1e6);
    bars.push(
      bar('memory above that of the idle server, MB', spread(aboveIdle), { atMost: atMostMemory / 1e6 }),
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

function row(name: string, timings: readonly Timing[]): string[] {
  const of = (metric: keyof Timing) => spread(timings.map((timing) => timing[metric]));
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

/**
 * Copies the employees of an account with psql, in the order of the list, and discards the output.
 *
 * @param what columns, and options of COPY
 */
export async function copyEmployees(
  { url }: Database,
  { accountId }: Tenant,
  { columns = stored, format = '' } = {},
): Promise<void> {
  const query = `SELECT ${columns} FROM employees WHERE account_id = '${accountId}' ORDER BY employees.position`;
  const args = ['--no-psqlrc', '--quiet', '--command', `COPY (${query}) TO STDOUT ${format}`, url];
  const child = spawn('psql', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`psql exited with ${code}`);
}
