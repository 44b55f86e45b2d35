import type { Prisma } from '../../database/client.js';
import type { CallerAuditContext } from '../audit-context.js';
import { recordIn } from '../audit-log.js';
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
