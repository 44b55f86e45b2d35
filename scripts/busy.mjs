// Runs a command on a busy machine, to find results that depend on time: node scripts/busy.mjs COMMAND...
// Three busy loops for each processor core run until the command ends. The exit code is that of the command.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';

const [command, ...args] = process.argv.slice(2);
if (command === undefined) {
  process.stderr.write('node scripts/busy.mjs COMMAND...\n');
  process.exit(1);
}

// Ends with this process, however it ends.
const loop = 'const parent = process.ppid; while (process.ppid === parent) for (let n = 0; n < 1e7; n += 1);';
const loops = Array.from({ length: 3 * availableParallelism() }, () =>
  spawn(process.execPath, ['--eval', loop], { stdio: 'ignore' }),
);
// Ctrl-C interrupts the command as well. This process waits for it.
process.on('SIGINT', () => {});
try {
  const child = spawn(command, args, { stdio: 'inherit' });
  const [code] = await once(child, 'close');
  process.exitCode = code ?? 1;
} finally {
  for (const each of loops) each.kill('SIGKILL');
}
