// Runs compiled test files one after the other in this process: node run-tests.mjs TREE FILE... With MUTANT it switches a mutant
// on and exits with 1 when a file fails. Without MUTANT it prints the mutants that each file reaches, its time, and whether it
// fails.
import path from 'node:path';
import { compiled } from '../../compile.mjs';

const [tree = '', ...files] = process.argv.slice(2);
const active = process.env.MUTANT === undefined ? undefined : Number(process.env.MUTANT);

/** @type {Set<number>} */
const reached = new Set();
Object.assign(globalThis, {
  /** @param {number} number */
  isMutant(number) {
    reached.add(number);
    return number === active;
  },
});

const { root, runFiles } = await import(path.join(tree, 'dist', 'test', 'support', 'tap.js'));
for (const file of files) {
  reached.clear();
  const earlier = root.counts.fail;
  const started = process.cpuUsage();
  await runFiles([{ title: file, file: path.join(tree, compiled(file)) }]);
  const { user, system } = process.cpuUsage(started);
  const failed = root.counts.fail > earlier;
  if (active === undefined) {
    const result = { file, failed, seconds: (user + system) / 1e6, reached: [...reached] };
    process.stderr.write(`${JSON.stringify(result)}\n`);
  } else if (failed) {
    process.exit(1);
  }
}
process.exit(0);
