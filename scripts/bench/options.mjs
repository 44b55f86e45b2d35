import path from 'node:path';
import { parseArgs } from 'node:util';

const usage = `npm run bench -- [options]

  --only NAMES     works to do, separated by commas; all of them otherwise
  --rounds N       rounds of a comparison (5)
  --seconds N      seconds that a subject is measured for in a round (3)
  --against DIRS   compares with the built checkouts in these directories, separated by commas, instead of the other
                   servers; bar: 0.95
  --quick          two rounds of one second: whether everything works, not how fast it is
  --profile        measures nothing: profiles our server under each work's load, and says where its time goes
  --keep           keeps the databases, for the next run with --keep
  --write          writes RESULTS.md, which a run of all works does anyway
  --help
`;

/**
 * @param {string[]} args
 * @param {string[]} works names that there are
 */
export function readOptions(args, works) {
  const { values } = parseArgs({
    args,
    options: {
      only: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      against: { type: 'string' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      keep: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, rounds, seconds, against, quick, profile, keep, write, help } = values;
  const chosen = only?.split(',') ?? works;
  const unknown = chosen.filter((name) => !works.includes(name));
  if (unknown.length > 0) throw new Error(`--only: ${unknown.join(', ')}; there are ${works.join(', ')}`);
  return {
    usage: help ? usage : undefined,
    works: chosen,
    rounds: number('rounds', rounds ?? (quick ? '2' : '5')),
    seconds: number('seconds', seconds ?? (quick ? '1' : '3')),
    settleSeconds: quick ? 1 : 5,
    against: against?.split(',').map((directory) => path.resolve(directory)),
    quick,
    profile,
    keep,
    write: write || (only === undefined && !quick && !profile && against === undefined),
    databaseUrl: process.env.BENCH_DATABASE_URL || 'postgres://root@127.0.0.1:5432/postgres',
  };
}

function number(name, text) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
}
