import { Command, CommanderError } from 'commander';
import { addAttributeCommands } from '../features/employees/attribute-commands.js';
import { addEventCommands } from '../features/events/commands.js';
import { addEmployeeCommands } from '../features/imports/command/employees.js';
import { addPublicationCommands } from '../features/installations/commands.js';
import { addApplicationCommands } from '../features/oauth-clients/commands.js';
import { addUsageCommand } from '../features/usage/commands.js';
import { addUserCommands } from '../features/users/commands.js';
import { addWebhookCommands } from '../features/webhooks/commands.js';
import { CliError, exitCodes } from '../platform/cli/cli-error.js';
import type { CommandProcess } from '../platform/cli/context.js';
import {
  DatabaseOpenError,
  describeError,
  isDatabaseUnavailable,
} from '../platform/database/database-errors.js';
import { describeFailure } from '../process/operator-errors.js';
import { addAccountCommands } from './accounts.js';
import { addDoctorCommand } from './doctor.js';
import { addIssuerCommands, addKeyCommands, addMaintenanceCommands } from './maintenance.js';

/** Creates the program with all commands. Invalid arguments throw a {@link CommanderError}. */
function createProgram(commandProcess: CommandProcess): Command {
  const program = new Command('npm run cli --')
    .description('Administers a People API. It uses the same environment variables as the server.')
    .showHelpAfterError('Add --help to see the options and examples.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => commandProcess.stdout.write(text),
      writeErr: (text) => commandProcess.stderr.write(text),
    })
    .addHelpText(
      'after',
      `
Exit codes:
  0    success
  1    failure; the reason is on standard error
  2    invalid arguments
  3    success, but some lines of the file were rejected
  130  interrupted`,
    );
  addAccountCommands(program, commandProcess);
  addUserCommands(program, commandProcess);
  addEmployeeCommands(program, commandProcess);
  addAttributeCommands(program, commandProcess);
  const applications = addApplicationCommands(program, commandProcess);
  addPublicationCommands(applications, commandProcess);
  addUsageCommand(applications, commandProcess);
  addEventCommands(program, commandProcess);
  addWebhookCommands(program, commandProcess);
  addIssuerCommands(program, commandProcess);
  addKeyCommands(program, commandProcess);
  addMaintenanceCommands(program, commandProcess);
  addDoctorCommand(program, commandProcess);
  return program;
}

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
