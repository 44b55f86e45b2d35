import path from 'node:path';
import { parseArgs } from 'node:util';
import { positiveNumber } from '../kit/options.js';

const usage = (names: readonly string[]) => `npm run trials -- [NAME…] [options]

  NAME           ${names.join(', ')}; all of them in their short form without a name
  --short        the short form
  --minutes N    duration of the soak (30)
  --against DIR  overload: also measures the built checkout in DIR, with and without its limit on active requests
  --seed N       of random values (the time of day)
  --help
`;

export interface Options {
  /** Names of trials. */
  readonly chosen: readonly string[];
  readonly short: boolean;
  readonly against: string | undefined;
  readonly minutes: number;
  readonly seed: number;
}

/**
 * @param names of all trials
 * @returns the usage text for `--help`
 */
export function readOptions(args: string[], names: readonly string[]): Options | string {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      against: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return usage(names);
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: trials are ${names.join(', ')}`);
  const short = values.short || positionals.length === 0;
  return {
    chosen: positionals.length === 0 ? names : positionals,
    short,
    against: values.against === undefined ? undefined : path.resolve(values.against),
    minutes: positiveNumber('minutes', values.minutes ?? (short ? '0.15' : '30')),
    seed: positiveNumber('seed', values.seed ?? String(Date.now() % 1_000_000_007)),
  };
}
