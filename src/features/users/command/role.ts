import { Argument, type Command } from 'commander';
import { type Role, roles } from '../../../platform/accounts/user.js';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { changeUser, userArgument } from './change.js';

/** `users set-role` */
export function addRoleCommand(users: Command, commandProcess: CommandProcess): void {
  users
    .command('set-role')
    .description('change the role of a user and revoke grants that the new role does not permit')
    .argument(...userArgument)
    .addArgument(new Argument('<role>', 'the new role').choices(roles))
    .addHelpText(
      'after',
      `
The last enabled owner of an account stays an owner.

Examples:
  npm run cli -- users set-role milton@initech.example admin`,
    )
    .action((user: string, role: Role) =>
      changeUser(commandProcess, user, () => ({
        make: (service, context, id) => service.setRole(context, id, role),
        changed: `now has the role ${role}`,
        unchanged: `already has the role ${role}`,
      })),
    );
}
