import { CommanderError } from 'commander';
import { CliError, exitCodes } from '../platform/cli/cli-error.js';
import type { CommandProcess } from '../platform/cli/command-process.js';
import {
  DatabaseOpenError,
  describeError,
  isDatabaseUnavailable,
} from '../platform/database/database-errors.js';
import { describeFailure } from '../process/operator-errors.js';
import { createProgram } from './program.js';

/** Runs one command. Errors are one line on standard error and an exit code. */
export async function runCommandLine(commandProcess: CommandProcess, args: readonly string[]): Promise<void> {
  try {
    await createProgram(commandProcess).parseAsync(args, { from: 'user' });
  } catch (error) {
    if (error instanceof CommanderError) {
      // Commander has printed the error or the help.
      commandProcess.exitCode = error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
      return;
    }
    commandProcess.stderr.write(`${describe(error)}\n`);
    commandProcess.exitCode = error instanceof CliError ? error.exitCode : exitCodes.failure;
  }
}

function describe(error: unknown): string {
  if (error instanceof CliError || error instanceof DatabaseOpenError) return error.message;
  return isDatabaseUnavailable(error)
    ? `The database failed: ${describeError(error)}`
    : describeFailure(error);
}
