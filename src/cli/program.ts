import { Command } from 'commander';
import { addAccountCommands } from './commands/accounts.js';
import { addApplicationCommands } from './commands/applications.js';
import { addEmployeeCommands } from './commands/employees.js';
import { addIssuerCommands } from './commands/issuer.js';
import { addKeyCommands } from './commands/keys.js';
import { addMaintenanceCommands } from './commands/maintenance.js';
import { addUserCommands } from './commands/users.js';
import type { Surroundings } from './surroundings.js';

/** Puts the commands together. A mistake in the arguments is thrown as commander's own error. */
export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('npm run cli --')
    .description('Administers a People API. The environment says which one, as it does for the server.')
    .showHelpAfterError('Add --help to see the options and examples.')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => surroundings.stdout.write(text),
      writeErr: (text) => surroundings.stderr.write(text),
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
  addAccountCommands(program, surroundings);
  addUserCommands(program, surroundings);
  addEmployeeCommands(program, surroundings);
  addApplicationCommands(program, surroundings);
  addIssuerCommands(program, surroundings);
  addKeyCommands(program, surroundings);
  addMaintenanceCommands(program, surroundings);
  return program;
}
