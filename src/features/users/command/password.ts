import type { Command } from 'commander';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { readNewPassword } from '../../../platform/cli/password.js';
import { changeUser, userArgument } from './change.js';

/** `users set-password` */
export function addPasswordCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('set-password')
    .description('set a new password for a user and revoke the sessions of the user')
    .argument(...userArgument)
    .addHelpText(
      'after',
      `
The password is prompted for, or read from standard input: one line with at least 12 characters.

Examples:
  npm run cli -- users set-password milton@initech.example
  npm run cli -- users set-password milton@initech.example < password.txt`,
    )
    .action((user: string) =>
      changeUser(commandProcess, user, async () => {
        const password = await readNewPassword(commandProcess);
        return {
          make: (service, context, id) => service.setPassword(context, id, password),
          changed: 'has a new password',
        };
      }),
    );
}
