import type { Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';

/** The account has as many reports as it may have. */
export class ReportQuotaError extends Error {
  override readonly name = 'ReportQuotaError';
}

/**
 * Checks the number of reports of an account, in the transaction that has inserted one. The trigger that counts reports
 * has locked the row until this transaction ends, so the check is exact under concurrency.
 *
 * @param maximum reports that an account may have; 0 is any number
 * @throws {ReportQuotaError} when there are more
 */
export async function checkReportQuota(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  maximum: number,
): Promise<void> {
  if (maximum === 0) return;
  const totals = await tx.accountTotals.findUnique({ where: { accountId } });
  if (totals !== null && totals.reports > maximum) throw new ReportQuotaError();
}
