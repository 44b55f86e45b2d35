import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';
import { type Report, toReport } from './report.js';

/** Whether the stored version of a report meets the precondition of a change. */
export type VersionCheck = (stored: Pick<Report, 'id' | 'version'>) => boolean;

/** Reads a report of the account and locks it until the transaction ends; `null` when there is none. */
export async function lockReport(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  id: string,
): Promise<Report | null> {
  const locked = await tx.$queryRaw<unknown[]>`
    SELECT 1 FROM reports WHERE id = ${id} AND account_id = ${accountId} FOR NO KEY UPDATE`;
  if (locked.length === 0) return null;
  const row = await tx.report.findUnique({ where: { accountId_id: { accountId, id } } });
  return row === null ? null : toReport(row);
}
