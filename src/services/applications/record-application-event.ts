import type { Prisma } from '../../database/client.js';
import type { AuditContext } from '../audit-context.js';
import { type AuditEvent, type AuditEventType, recordIn } from '../audit-log.js';

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
