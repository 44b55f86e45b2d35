import type { Core } from '../../platform/core.js';
import { AuditLogExports, AuditLogReader } from './audit-log-reader.js';

export function createAuditLog({ database, auditedExports }: Core) {
  const auditLogReader = new AuditLogReader(database);
  return { auditLogReader, auditLogExports: new AuditLogExports(auditedExports, auditLogReader) };
}
