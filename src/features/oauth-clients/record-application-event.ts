import type { AuditContext } from '../../platform/audit/audit-context.js';
import { type AuditEvent, type AuditEventType, recordIn } from '../../platform/audit/audit-log.js';
import type { Prisma } from '../../platform/database/client.js';

/** Stores an audit event of an application, in the transaction that changes the application. */
export async function recordApplicationEvent(
  tx: Prisma.TransactionClient,
  type: AuditEventType & `application.${string}`,
  { accountId, userId, origin, at }: AuditContext,
  applicationId: string,
  details: NonNullable<AuditEvent['details']> = {},
): Promise<void> {
  await recordIn(tx, { type, accountId, userId, applicationId, origin, details }, at);
}
