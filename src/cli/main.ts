import { CommanderError } from 'commander';
import { DatabaseOpenError, describeError, isDatabaseUnavailable } from '../database/database-errors.js';
import { describeFailure } from '../operator-errors.js';
import { CliError, exitCodes } from './cli-error.js';
import { createProgram } from './program.js';

// Whoever reads the answer may have seen enough, as `head` has.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  process.exit(error.code === 'EPIPE' ? exitCodes.ok : exitCodes.failure);
});

createProgram()
  .parseAsync()
  .catch((error: unknown) => {
    if (error instanceof CommanderError) {
      // Commander has said what is wrong, or shown the help that was asked for.
      process.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
      return;
    }
    process.stderr.write(`${describe(error)}\n`);
    process.exitCode = error instanceof CliError ? error.exitCode : exitCodes.failure;
  });

function describe(error: unknown): string {
  if (error instanceof CliError || error instanceof DatabaseOpenError) return error.message;
  return isDatabaseUnavailable(error)
    ? `The database failed: ${describeError(error)}`
    : describeFailure(error);
}
