import type { Database } from '../database/client.js';
import { type AccountId, toAccountId } from './account-id.js';
import { normalizeEmail } from './normalize.js';
import type { Role } from './users.js';

/** A user, as a list of them shows it. */
export interface UserSummary {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** `null`: the user may sign in. */
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
}

/**
 * A page of the account's users, by e-mail address.
 *
 * @param after the e-mail address that the page begins after
 */
export async function listUsers(
  { prisma }: Database,
  accountId: AccountId,
  { after = '', size }: { after?: string; size: number },
): Promise<UserSummary[]> {
  const rows = await prisma.user.findMany({
    where: { accountId, email: { gt: after } },
    select: { id: true, email: true, role: true, disabledAt: true, createdAt: true },
    orderBy: { email: 'asc' },
    take: size,
  });
  return rows.map((row) => ({ ...row, role: row.role as Role }));
}

/** The user with this e-mail address or id, in any account. It crosses tenants: it is for the operator alone. */
export async function findUser(
  { prisma }: Database,
  emailOrId: string,
): Promise<{ id: string; email: string; accountId: AccountId; accountName: string } | null> {
  const row = await prisma.user.findUnique({
    // No id has this character, and every address has.
    where: emailOrId.includes('@') ? { email: normalizeEmail(emailOrId) } : { id: emailOrId },
    select: { id: true, email: true, account: { select: { id: true, name: true } } },
  });
  if (row === null) return null;
  const { id, email, account } = row;
  return { id, email, accountId: toAccountId(account.id), accountName: account.name };
}
