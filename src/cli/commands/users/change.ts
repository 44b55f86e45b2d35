import type { AuditContext } from '../../../services/audit-context.js';
import type {
  PasswordChange,
  UserAdministration,
  UserChange,
} from '../../../services/user-administration.js';
import { CliError } from '../../cli-error.js';
import type { CommandProcess } from '../../command-process.js';
import { withContext } from '../../context.js';
import { harmless, print } from '../../print.js';

/** Help for the argument that names a user. */
export const userArgument = ['<user>', 'the user: the e-mail address, or the id'] as const;

interface Change {
  readonly make: (
    users: UserAdministration,
    context: AuditContext,
    userId: string,
  ) => Promise<UserChange | PasswordChange>;
  /** Completes a sentence that begins with the user, as does the next one. */
  readonly changed: string;
  /** Absent: the change is one every time. */
  readonly unchanged?: string;
}

/**
 * Changes one user, whatever the account, and prints what was done.
 *
 * @param prepare asks for what the change needs, once the user is found
 * @throws {CliError} when there is no such user, or the change is rejected
 */
export async function changeUser(
  commandProcess: CommandProcess,
  emailOrId: string,
  prepare: () => Change | Promise<Change>,
): Promise<void> {
  await withContext(commandProcess, async ({ services, clock }) => {
    const user = await services.users.find(emailOrId);
    if (user === null) throw unknownUser(emailOrId);
    const { make, changed, unchanged = 'needs no change' } = await prepare();
    const context = { accountId: user.accountId, at: clock() };
    const outcome = await make(services.userAdministration, context, user.id);
    switch (outcome.kind) {
      case 'changed':
        print(commandProcess, `User ${harmless(user.email)} ${changed}.${consequences(outcome)}`);
        return;
      case 'unchanged':
        print(commandProcess, `User ${harmless(user.email)} ${unchanged}; nothing was changed.`);
        return;
      case 'not_found':
        throw unknownUser(emailOrId);
      case 'last_owner':
        throw new CliError(
          `User ${harmless(user.email)} is the last enabled owner of ${harmless(user.accountName)}; make another user an owner first`,
        );
      case 'invalid_password':
        throw new CliError(`The password ${outcome.error}`);
    }
  });
}

function unknownUser(emailOrId: string): CliError {
  return new CliError(`There is no user ${harmless(emailOrId)}; see: users list`);
}

function consequences({ revokedSessions, revokedGrants }: UserChange & { kind: 'changed' }): string {
  const parts = [
    ...(revokedSessions > 0 ? [counted(revokedSessions, 'session')] : []),
    ...(revokedGrants > 0 ? [counted(revokedGrants, 'grant')] : []),
  ];
  return parts.length === 0 ? '' : ` Ended: ${parts.join(' and ')}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
