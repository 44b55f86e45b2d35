import { type AuditContext, type AuditEvent, type AuditEventType, recordIn } from '../audit/audit-log.js';
import type { Prisma } from '../database/client.js';
import type { AffectedUser } from './revoke-user-access.js';

/** Stores an audit event about a user, in the transaction that changes the user. */
export async function recordUserEvent(
  tx: Prisma.TransactionClient,
  { accountId, userId, origin, at }: AuditContext,
  { id, email }: AffectedUser,
  type: AuditEventType & `user.${string}`,
  details: NonNullable<AuditEvent['details']> = {},
): Promise<void> {
  await recordIn(tx, { type, accountId, userId, origin, details: { user: id, email, ...details } }, at);
}
