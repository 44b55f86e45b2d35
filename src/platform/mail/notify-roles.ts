import type { Role } from '../accounts/user.js';
import type { Database } from '../database/client.js';
import { accountScope, withScope } from '../database/scope.js';
import type { LinkDelivery, MailCause, MailSubjects } from './link-delivery.js';
import type { MailText } from './mailer.js';

interface RolesMail<Cause extends MailCause> {
  readonly roles: readonly Role[];
  readonly cause: Cause;
  /** What the mail is counted for. The account is that of the users. */
  readonly subjects: MailSubjects<Cause> & { readonly account: string };
  readonly mail: MailText;
}

/**
 * Sends a mail to the enabled users of an account with one of the roles. It is counted once. A mail that is not sent is logged.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`
 */
export async function notifyRoles<Cause extends MailCause>(
  { prisma }: Pick<Database, 'prisma'>,
  delivery: LinkDelivery,
  { roles, cause, subjects, mail }: RolesMail<Cause>,
): Promise<void> {
  const accountId = subjects.account;
  const users = await withScope(accountScope(accountId), () =>
    prisma.user.findMany({
      where: { accountId, role: { in: [...roles] }, disabledAt: null },
      select: { email: true },
      orderBy: { id: 'asc' },
    }),
  );
  const permit = await delivery.permit(prisma, cause, subjects);
  // One after the other: each opens a connection, and a mail server limits those of a client.
  for (const { email } of users) await delivery.notify(permit, email, mail);
}
