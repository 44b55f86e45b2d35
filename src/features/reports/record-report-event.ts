import type { CallerAuditContext } from '../../platform/audit/audit-context.js';
import { recordIn } from '../../platform/audit/audit-log.js';
import type { Prisma } from '../../platform/database/client.js';
import type { Report } from './report.js';

/** Stores an audit event of a report, in the transaction that changes the report. */
export async function recordReportEvent(
  tx: Prisma.TransactionClient,
  type: 'report.created' | 'report.updated' | 'report.deleted',
  { accountId, applicationId, userId, origin, at }: CallerAuditContext,
  { id, title }: Pick<Report, 'id' | 'title'>,
): Promise<void> {
  const details = { report: id, title };
  await recordIn(tx, { type, accountId, applicationId, userId, origin, details }, at);
}
