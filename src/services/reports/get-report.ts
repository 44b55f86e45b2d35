import type { Database } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import { type Report, toReport } from './report.js';

/** The account's report with this id; `null` when there is none, or it is another account's. */
export async function getReport(
  { prisma }: Database,
  accountId: AccountId,
  id: string,
): Promise<Report | null> {
  const row = await prisma.report.findFirst({ where: { id, accountId } });
  return row === null ? null : toReport(row);
}
