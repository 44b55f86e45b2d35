import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Prisma } from '../../platform/database/client.js';

/** The account has reached its limit of reports. */
export class ReportQuotaError extends Error {
  override readonly name = 'ReportQuotaError';
}

/**
 * Checks the number of reports of an account, in the transaction that has inserted one. The trigger that counts reports
 * has locked the count, so the check is exact under concurrency.
 *
 * @param maximum maximum number of reports of an account; 0: no limit
 * @throws {ReportQuotaError} if there are more
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
