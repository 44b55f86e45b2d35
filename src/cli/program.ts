import { Command } from 'commander';
import { addEventCommands } from '../features/events/commands.js';
import { addEmployeeCommands } from '../features/imports/command/employees.js';
import { addApplicationCommands } from '../features/oauth-clients/commands.js';
import { addUserCommands } from '../features/users/command/users.js';
import { addWebhookCommands } from '../features/webhooks/commands.js';
import { addIssuerCommands } from '../oauth/commands/issuer.js';
import type { CommandProcess } from '../platform/cli/command-process.js';
import { addAccountCommands } from './accounts.js';
import { addKeyCommands } from './keys.js';
import { addMaintenanceCommands } from './maintenance.js';

/** Creates the program with all commands. Invalid arguments throw a {@link CommanderError}. */
export function createProgram(commandProcess: CommandProcess): Command {
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
  addApplicationCommands(program, commandProcess);
  addEventCommands(program, commandProcess);
  addWebhookCommands(program, commandProcess);
  addIssuerCommands(program, commandProcess);
  addKeyCommands(program, commandProcess);
  addMaintenanceCommands(program, commandProcess);
  return program;
}
