import type { Database } from '../../database/client.js';
import type { ApplicationAuditContext } from '../audit-context.js';
import { lockReport, type VersionCheck } from './lock-report.js';
import { recordReportEvent } from './record-report-event.js';

/** Deletes a report and writes an audit event, or does neither. */
export async function deleteReport(
  { prisma }: Database,
  auditContext: ApplicationAuditContext,
  { id, isMeant }: { id: string; isMeant: VersionCheck },
): Promise<'deleted' | 'unknown' | 'changed_meanwhile'> {
  const { accountId } = auditContext;
  return prisma.$transaction(async (tx) => {
    const report = await lockReport(tx, accountId, id);
    if (report === null) return 'unknown';
    if (!isMeant(report)) return 'changed_meanwhile';
    await tx.report.delete({ where: { id, accountId } });
    await recordReportEvent(tx, 'report.deleted', auditContext, report);
    return 'deleted';
  });
}
