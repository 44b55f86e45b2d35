import { exitCodes } from './cli-error.js';
import { runCommandLine } from './run.js';

// Whoever reads the answer may have seen enough, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failure);
});

await runCommandLine(process, process.argv.slice(2));
