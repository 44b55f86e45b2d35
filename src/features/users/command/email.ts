import { Argument, type Command } from 'commander';
import { emailRule } from '../../../platform/accounts/user-rules.js';
import { checkedBy } from '../../../platform/cli/arguments.js';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { harmless } from '../../../platform/cli/print.js';
import { changeUser, userArgument } from './change.js';

/** `users set-email` */
export function addEmailCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('set-email')
    .description('change the e-mail address that a user signs in with')
    .argument(...userArgument)
    .addArgument(new Argument('<address>', 'the new e-mail address').argParser(checkedBy(emailRule)))
    .addHelpText(
      'after',
      `
Users change their address under My account when the server sends mail.

Examples:
  npm run cli -- users set-email milton@initech.example milton.waddams@initech.example`,
    )
    .action((user: string, address: string) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.setEmail(context, id, address),
        changed: `now signs in with ${harmless(address)}`,
        unchanged: `already signs in with ${harmless(address)}`,
      })),
    );
}
