import { Command } from 'commander';
import { describeFailure } from '../operator-errors.js';
import { addKeyCommands } from './commands/keys.js';
import { addMaintenanceCommands } from './commands/maintenance.js';

const program = new Command('npm run cli --')
  .description('Administers a People API. The environment says which one, as it does for the server.')
  .showHelpAfterError();

addKeyCommands(program);
addMaintenanceCommands(program);

program.parseAsync().catch((error) => {
  process.stderr.write(`${describeFailure(error)}\n`);
  process.exitCode = 1;
});
