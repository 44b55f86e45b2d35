import type { Database } from '../../database/client.js';
import type { ApplicationAuditContext } from '../audit-context.js';
import { type DefinitionFault, findFaults } from './definition-rules.js';
import { lockReport, type VersionCheck } from './lock-report.js';
import { recordReportEvent } from './record-report-event.js';
import { type Report, toReport, toStored } from './report.js';
import { changedContent, type ReportChanges } from './report-changes.js';

export type UpdatedReport =
  | { readonly kind: 'updated'; readonly report: Report }
  | { readonly kind: 'unknown' }
  /** The version is not one that the change was meant for. */
  | { readonly kind: 'changed_meanwhile' }
  | { readonly kind: 'invalid'; readonly faults: readonly DefinitionFault[] };

/** Changes a report and writes an audit event, or does neither. */
export async function updateReport(
  { prisma }: Database,
  auditContext: ApplicationAuditContext,
  { id, changes, isMeant }: { id: string; changes: ReportChanges; isMeant: VersionCheck },
): Promise<UpdatedReport> {
  const { accountId, at } = auditContext;
  return prisma.$transaction(async (tx): Promise<UpdatedReport> => {
    const current = await lockReport(tx, accountId, id);
    if (current === null) return { kind: 'unknown' };
    if (!isMeant(current)) return { kind: 'changed_meanwhile' };
    const content = changedContent(current, changes);
    const faults = findFaults(content);
    if (faults.length > 0) return { kind: 'invalid', faults };
    const row = await tx.report.update({
      where: { id, accountId },
      data: { ...toStored(content), version: { increment: 1 }, updatedAt: at },
    });
    await recordReportEvent(tx, 'report.updated', auditContext, row);
    return { kind: 'updated', report: toReport(row) };
  });
}
