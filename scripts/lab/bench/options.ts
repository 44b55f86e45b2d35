import path from 'node:path';
import { parseArgs } from 'node:util';
import { positiveNumber } from '../kit/options.js';

const usage = `npm run bench -- [options]

  --only NAMES     scenarios to run, separated by commas; all by default
  --rounds N       rounds of a comparison (5)
  --seconds N      seconds for which a server is measured in a round (3)
  --processes N    repeats the rounds of a comparison with N processes of each server, one after the other (1)
  --against DIRS   compares with the built checkouts in these directories, separated by commas, instead of the
                   baselines; bar: 0.95. A checkout with other migrations gets databases of its own
  --baselines      with --against: measures the baselines too
  --quick          two rounds of one second, to check that everything works
  --recorded       prints the recorded ratios (RESULTS.md) beside the measured ones, and warns below 0.9 of them; the exit
                   code is 0
  --keep           keeps the databases for the next run with --keep
  --write          writes the results, which a run of all scenarios does by default
  --help
`;

export interface Options {
  readonly scenarios: readonly string[];
  readonly rounds: number;
  readonly seconds: number;
  /** Processes of each server in a comparison, one after the other. */
  readonly processes: number;
  /** Seconds of load before a server is measured. */
  readonly settleSeconds: number;
  readonly against: readonly string[] | undefined;
  /** With `against`: whether the baselines are measured too. */
  readonly baselines: boolean;
  readonly recorded: boolean;
  readonly keep: boolean;
  readonly write: boolean;
  readonly databaseUrl: string;
}

/**
 * @param names of all scenarios
 * @returns the usage text for `--help`
 */
export function readOptions(args: string[], names: readonly string[]): Options | string {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      processes: { type: 'string' },
      against: { type: 'string' },
      baselines: { type: 'boolean', default: false },
      quick: { type: 'boolean', default: false },
      recorded: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, rounds, seconds, processes, against, baselines, quick, recorded, keep, write, help } = values;
  if (help) return usage;
  const scenarios = only?.split(',') ?? names;
  const unknown = scenarios.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`--only: ${unknown.join(', ')}; scenarios are ${names.join(', ')}`);
  return {
    scenarios,
    rounds: positiveNumber('rounds', rounds ?? (quick ? '2' : '5')),
    seconds: positiveNumber('seconds', seconds ?? (quick ? '1' : '3')),
    processes: positiveNumber('processes', processes ?? '1'),
    settleSeconds: quick ? 1 : 5,
    against: against?.split(',').map((directory) => path.resolve(directory)),
    baselines,
    recorded,
    keep,
    write: write || (only === undefined && !quick && against === undefined),
    databaseUrl: process.env.BENCH_DATABASE_URL || 'postgres://root@127.0.0.1:5432/postgres',
  };
}
