import { readOptions } from './options.js';
import { type Trial, Verdict } from './verdict.js';

const trials: Readonly<Record<string, () => Promise<{ trial: Trial }>>> = {
  tenants: () => import('./tenants/tenants.js'),
  'linear-time': () => import('./linear-time/linear-time.js'),
  overload: () => import('./overload/overload.js'),
  soak: () => import('./soak.js'),
};

// Servers are stopped when this process exits.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const options = readOptions(process.argv.slice(2), Object.keys(trials));
if (typeof options === 'string') process.stdout.write(options);
else for (const name of options.chosen) await run(name, options);

async function run(name: string, { short, seed, ...others }: Exclude<typeof options, string>): Promise<void> {
  const startedAt = Date.now();
  const verdict = new Verdict({ timesDecide: !short });
  process.stdout.write(`\n== ${name}${short ? ', short form' : ''}, seed ${seed}\n`);
  try {
    const { trial } = await trials[name]();
    await trial({ short, seed, ...others, verdict });
  } catch (error) {
    verdict.violation('the trial failed before its end', (error as Error).stack);
  }
  const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
  process.stdout.write(`${verdict}  ${verdict.failed ? 'FAIL' : 'pass'} after ${seconds} s\n`);
  if (verdict.failed) process.exitCode = 1;
}
