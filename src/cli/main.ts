import { exitCodes } from '../platform/cli/cli-error.js';
import { runCommandLine } from './program.js';

// The reader of the output may close the pipe early, as `head` does.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failure);
});

await runCommandLine(process, process.argv.slice(2));
