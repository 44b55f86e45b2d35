import type { Command } from 'commander';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { changeUser, userArgument } from './change.js';

/** `users disable`, `users enable`, `users revoke-sessions` and `users remove-second-factors` */
export function addStateCommands(users: Command, commandProcess: CommandProcess): void {
  users
    .command('disable')
    .description('prevent a user from signing in and revoke the sessions and grants of the user')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('disable'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.disable(context, id),
        changed: 'was disabled',
        unchanged: 'is already disabled',
      })),
    );
  users
    .command('enable')
    .description('allow a disabled user to sign in again; sessions and grants are not restored')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('enable'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.enable(context, id),
        changed: 'was enabled',
        unchanged: 'is already enabled',
      })),
    );
  users
    .command('revoke-sessions')
    .description('sign a user out of all browsers')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('revoke-sessions'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.revokeSessions(context, id),
        changed: 'was signed out',
        unchanged: 'has no sessions',
      })),
    );
  users
    .command('remove-second-factors')
    .description('remove the authenticator app, passkeys and recovery codes of a user, who is signed out')
    .argument(...userArgument)
    .addHelpText('after', exampleOf('remove-second-factors'))
    .action((user: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.removeSecondFactors(context, id),
        changed: 'no longer has a second factor',
        unchanged: 'has no second factor',
      })),
    );
}

function exampleOf(command: string): string {
  return `\nExamples:\n  npm run cli -- users ${command} milton@initech.example`;
}
