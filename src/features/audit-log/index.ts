import type { Core } from '../../platform/core.js';
import { AuditLogExports } from './audit-log-exports.js';
import { AuditLogReader } from './audit-log-reader.js';

/** Creates the services that read the audit log. */
export function createAuditLog({ database, exports }: Core) {
  const auditLog = new AuditLogReader(database);
  return { auditLog, auditLogExports: new AuditLogExports(exports, auditLog) };
}
