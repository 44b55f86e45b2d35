import type { Database } from '../../database/client.js';
import { lockReport, type VersionCheck } from './lock-report.js';
import { type ReportAct, recordReportAct } from './record-report-event.js';

/** Deletes a report and writes an audit event, or does neither. */
export async function deleteReport(
  { prisma }: Database,
  act: ReportAct,
  { id, isMeant }: { id: string; isMeant: VersionCheck },
): Promise<'deleted' | 'unknown' | 'changed_meanwhile'> {
  const { accountId } = act;
  return prisma.$transaction(async (tx) => {
    const report = await lockReport(tx, accountId, id);
    if (report === null) return 'unknown';
    if (!isMeant(report)) return 'changed_meanwhile';
    await tx.report.delete({ where: { id, accountId } });
    await recordReportAct(tx, 'report.deleted', act, report);
    return 'deleted';
  });
}
