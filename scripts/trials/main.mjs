// Puts the built server under trial; see README.md.
import { readOptions } from './options.mjs';
import { Verdict } from './verdict.mjs';

const names = ['fuzz', 'tenants', 'slow', 'overload', 'reports', 'soak'];

// Whoever stops the trials stops their servers too, which end with this process.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

const { usage, chosen, ...options } = readOptions(process.argv.slice(2), names);
if (usage !== undefined) process.stdout.write(usage);
for (const name of chosen) {
  const begun = Date.now();
  const verdict = new Verdict({ timesDecide: !options.short });
  process.stdout.write(`\n== ${name}${options.short ? ', short form' : ''}, seed ${options.seed}\n`);
  try {
    const { trial } = await import(`./${name}/${name}.mjs`);
    await trial({ ...options, verdict });
  } catch (error) {
    verdict.fault('the trial did not come to its end', error.stack);
  }
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  process.stdout.write(`${verdict}  ${verdict.broken ? 'BROKEN' : 'kept'} after ${seconds} s\n`);
  if (verdict.broken) process.exitCode = 1;
}
