import { Command } from 'commander';
import type { CommandProcess } from './command-process.js';
import { addAccountCommands } from './commands/accounts.js';
import { addApplicationCommands } from './commands/applications.js';
import { addEmployeeCommands } from './commands/employees.js';
import { addEventCommands } from './commands/events.js';
import { addIssuerCommands } from './commands/issuer.js';
import { addKeyCommands } from './commands/keys.js';
import { addMaintenanceCommands } from './commands/maintenance.js';
import { addUserCommands } from './commands/users.js';
import { addWebhookCommands } from './commands/webhooks.js';

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
