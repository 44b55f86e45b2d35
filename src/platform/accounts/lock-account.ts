import type { Prisma } from '../database/client.js';
import type { AccountId } from './account-id.js';

/**
 * Locks an account until the transaction ends. A transaction that changes employees in more than one statement calls it
 * first: the triggers lock the counts after the employees of a statement, and two such transactions could deadlock. So does one
 * that deletes employees or sets managers, so that no employee gets a manager who is being deleted.
 *
 * @returns false if there is no such account
 */
export async function lockAccount(tx: Prisma.TransactionClient, accountId: AccountId): Promise<boolean> {
  const rows = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  return rows.length === 1;
}
