import { Command, type OutputConfiguration } from 'commander';
import { addAccountCommands } from './commands/accounts.js';
import { addApplicationCommands } from './commands/applications.js';
import { addEmployeeCommands } from './commands/employees.js';
import { addKeyCommands } from './commands/keys.js';
import { addMaintenanceCommands } from './commands/maintenance.js';
import { addUserCommands } from './commands/users.js';

/**
 * Puts the commands together. A mistake in the arguments is thrown as commander's own error.
 *
 * @param output where help and mistakes are written, when not to the process's own streams
 */
export function createProgram(output: OutputConfiguration = {}): Command {
  const program = new Command('npm run cli --')
    .description('Administers a People API. The environment says which one, as it does for the server.')
    .showHelpAfterError('Add --help to see the options and examples.')
    .exitOverride()
    .configureOutput(output)
    .addHelpText(
      'after',
      `
Exit codes:
  0    done
  1    failed; one line on standard error says why
  2    the arguments are wrong
  3    done, but some lines of the file were refused
  130  interrupted`,
    );
  addAccountCommands(program);
  addUserCommands(program);
  addEmployeeCommands(program);
  addApplicationCommands(program);
  addKeyCommands(program);
  addMaintenanceCommands(program);
  return program;
}
