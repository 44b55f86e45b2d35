import type { Command } from 'commander';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { addCreateCommand } from './create.js';
import { addEmailCommand } from './email.js';
import { addListCommand } from './list.js';
import { addPasswordCommand } from './password.js';
import { addRoleCommand } from './role.js';
import { addStateCommands } from './state.js';

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
