import type { Command } from 'commander';
import type { CommandProcess } from '../command-process.js';
import { addCreateCommand } from './users/create.js';
import { addEmailCommand } from './users/email.js';
import { addListCommand } from './users/list.js';
import { addPasswordCommand } from './users/password.js';
import { addRoleCommand } from './users/role.js';
import { addStateCommands } from './users/state.js';

/**
 * `users create`, `list`, `disable`, `enable`, `set-role`, `set-email`, `set-password`, `revoke-sessions` and
 * `remove-second-factors`
 */
export function addUserCommands(program: Command, commandProcess: CommandProcess): void {
  const users = program.command('users').description('manage users');
  addCreateCommand(users, commandProcess);
  addListCommand(users, commandProcess);
  addStateCommands(users, commandProcess);
  addRoleCommand(users, commandProcess);
  addEmailCommand(users, commandProcess);
  addPasswordCommand(users, commandProcess);
}
