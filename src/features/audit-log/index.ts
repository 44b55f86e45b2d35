import type { Core } from '../../platform/core.js';
import { AuditLogExports, AuditLogReader } from './audit-log-reader.js';

export type { AuditEntry, AuditLogReader } from './audit-log-reader.js';
export { auditEventLabel } from './pages/audit-event-labels.js';

export function createAuditLog({ database, auditedExports }: Core) {
  const auditLogReader = new AuditLogReader(database);
  return { auditLogReader, auditLogExports: new AuditLogExports(auditedExports, auditLogReader) };
}
