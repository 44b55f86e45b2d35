import type { Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import { type AuditOrigin, recordIn } from '../audit-log.js';
import type { Report } from './report.js';

/** Who changes or exports reports: an application, on its own behalf or on that of a user. */
export interface ReportAct {
  /** The only account whose reports may be touched. */
  readonly accountId: AccountId;
  readonly applicationId: string;
  readonly userId: string | null;
  readonly origin: AuditOrigin;
  readonly at: Date;
}

/** Writes into the audit log, in the same transaction, what was done to a report. */
export async function recordReportAct(
  tx: Prisma.TransactionClient,
  type: 'report.created' | 'report.updated' | 'report.deleted',
  { accountId, applicationId, userId, origin, at }: ReportAct,
  { id, title }: Pick<Report, 'id' | 'title'>,
): Promise<void> {
  const details = { report: id, title };
  await recordIn(tx, { type, accountId, applicationId, userId, origin, details }, at);
}
