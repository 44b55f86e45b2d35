import type { CallerAuditContext } from '../../platform/audit/audit-context.js';
import type { Prisma } from '../../platform/database/client.js';
import { randomId } from '../../platform/database/ids.js';
import { setActor } from '../../platform/database/set-actor.js';
import { recordReportEvent } from './record-report-event.js';
import { type Report, type ReportContent, toReport, toStored } from './report.js';

/** Inserts a report and its audit event, in the transaction of the caller. */
export async function insertReport(
  tx: Prisma.TransactionClient,
  auditContext: CallerAuditContext,
  content: ReportContent,
  id = randomId(),
): Promise<Report> {
  await setActor(tx, auditContext);
  const row = await tx.report.create({
    data: {
      id,
      accountId: auditContext.accountId,
      ...toStored(content),
      createdByUserId: auditContext.userId,
      createdByApplicationId: auditContext.applicationId ?? null,
      createdAt: auditContext.at,
      updatedAt: auditContext.at,
    },
  });
  await recordReportEvent(tx, 'report.created', auditContext, row);
  return toReport(row);
}
