import type { AuditContext } from '../../../platform/audit/audit-context.js';
import { CliError } from '../../../platform/cli/cli-error.js';
import type { CommandProcess } from '../../../platform/cli/command-process.js';
import { withContext } from '../../../platform/cli/context.js';
import { harmless, print } from '../../../platform/cli/print.js';
import { ruleText } from '../../../platform/problems/rule-texts.js';
import {
  type EmailChange,
  type PasswordChange,
  UserAdministration,
  type UserChange,
} from '../user-administration.js';

/** Name and description of the user argument. */
export const userArgument = ['<user>', 'e-mail address or id of the user'] as const;

interface Change {
  readonly make: (
    users: UserAdministration,
    context: AuditContext,
    userId: string,
  ) => Promise<UserChange | PasswordChange | EmailChange>;
  /** Predicate of a sentence about the user. */
  readonly changed: string;
  /** Predicate of a sentence about the user; absent if every run changes the user. */
  readonly unchanged?: string;
}

/**
 * Changes one user of any account and prints the result.
 *
 * @param prepare creates the change after the user is found
 * @throws {CliError} when the user is unknown, or the change is rejected
 */
export async function changeUser(
  commandProcess: CommandProcess,
  emailOrId: string,
  prepare: () => Change | Promise<Change>,
): Promise<void> {
  await withContext(commandProcess, async ({ database, users, notices, clock }) => {
    const user = await users.find(emailOrId);
    if (user === null) throw unknownUser(emailOrId);
    const { make, changed, unchanged = 'is unchanged' } = await prepare();
    const context = { accountId: user.accountId, at: clock() };
    const outcome = await make(new UserAdministration(database, notices), context, user.id);
    switch (outcome.kind) {
      case 'changed':
        print(commandProcess, `User ${harmless(user.email)} ${changed}.${consequences(outcome)}`);
        return;
      case 'unchanged':
        print(commandProcess, `User ${harmless(user.email)} ${unchanged}; nothing was changed.`);
        return;
      // The command line has no acting user, so every change is permitted.
      case 'forbidden':
      case 'not_found':
        throw unknownUser(emailOrId);
      case 'last_owner':
        throw new CliError(
          `User ${harmless(user.email)} is the last enabled owner of ${harmless(user.accountName)}; make another user an owner first`,
        );
      case 'email_taken':
        throw new CliError('The e-mail address belongs to another user, or its domain to another account');
      case 'invalid_password':
        throw new CliError(`The password ${ruleText(outcome.error)}`);
    }
  });
}

function unknownUser(emailOrId: string): CliError {
  return new CliError(`Unknown user ${harmless(emailOrId)}; see: users list`);
}

function consequences({ revokedSessions, revokedGrants }: UserChange & { kind: 'changed' }): string {
  const parts = [
    ...(revokedSessions > 0 ? [counted(revokedSessions, 'session')] : []),
    ...(revokedGrants > 0 ? [counted(revokedGrants, 'grant')] : []),
  ];
  return parts.length === 0 ? '' : ` Revoked: ${parts.join(' and ')}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
