import path from 'node:path';
import { parseArgs } from 'node:util';

const usage = (names) => `npm run trials -- [NAME…] [options]

  NAME           ${names.join(', ')}; all of them in their short form without a name
  --short        the short form
  --minutes N    how long the soak takes (30)
  --requests N   requests of the fuzz (100000)
  --against DIR  overload: measures the built checkout in DIR too, with and without its limit on active requests
  --seed N       of what is random (the time of day)
  --help
`;

/**
 * @param {string[]} args
 * @param {string[]} names trials that there are
 */
export function readOptions(args, names) {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      short: { type: 'boolean', default: false },
      minutes: { type: 'string' },
      requests: { type: 'string' },
      against: { type: 'string' },
      seed: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const unknown = positionals.filter((name) => !names.includes(name));
  if (unknown.length > 0) throw new Error(`${unknown.join(', ')}: there are ${names.join(', ')}`);
  const short = values.short || positionals.length === 0;
  return {
    usage: values.help ? usage(names) : undefined,
    chosen: values.help ? [] : positionals.length === 0 ? names : positionals,
    short,
    against: values.against === undefined ? undefined : path.resolve(values.against),
    minutes: number('minutes', values.minutes ?? (short ? '0.15' : '30')),
    requests: number('requests', values.requests ?? (short ? '3000' : '100000')),
    seed: number('seed', values.seed ?? String(Date.now() % 1_000_000_007)),
  };
}

function number(name, text) {
  const value = Number(text);
  if (!(value > 0)) throw new Error(`--${name} must be a number above 0`);
  return value;
}
