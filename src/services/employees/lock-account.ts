import type { Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';

/**
 * Takes the account's row until the transaction ends. A transaction that changes employees in more than one
 * statement calls it first: the maintained counts take the same row, and taking it after rows that another
 * writer wants is a deadlock.
 *
 * @returns false when there is no such account.
 */
export async function lockAccount(tx: Prisma.TransactionClient, accountId: AccountId): Promise<boolean> {
  const rows = await tx.$queryRaw<
    unknown[]
  >`SELECT 1 FROM accounts WHERE id = ${accountId} FOR NO KEY UPDATE`;
  return rows.length === 1;
}
