import { Command } from 'commander';
import type { CommandProcess } from './command-process.js';
import { addAccountCommands } from './commands/accounts.js';
import { addApplicationCommands } from './commands/applications.js';
import { addEmployeeCommands } from './commands/employees.js';
import { addIssuerCommands } from './commands/issuer.js';
import { addKeyCommands } from './commands/keys.js';
import { addMaintenanceCommands } from './commands/maintenance.js';
import { addUserCommands } from './commands/users.js';

/** Puts the commands together. A mistake in the arguments is thrown as commander's own error. */
export function createProgram(commandProcess: CommandProcess): Command {
  const program = new Command('npm run cli --')
    .description('Administers a People API. The environment says which one, as it does for the server.')
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
  0    done
  1    failed; one line on standard error says why
  2    the arguments are wrong
  3    done, but some lines of the file were refused
  130  interrupted`,
    );
  addAccountCommands(program, commandProcess);
  addUserCommands(program, commandProcess);
  addEmployeeCommands(program, commandProcess);
  addApplicationCommands(program, commandProcess);
  addIssuerCommands(program, commandProcess);
  addKeyCommands(program, commandProcess);
  addMaintenanceCommands(program, commandProcess);
  return program;
}
