import type { FastifyRequest } from 'fastify';
import type { AuditOrigin } from '../services/audit-log.js';

/** Where a request came from, as the audit log keeps it. */
export function auditOrigin({ ip, id }: FastifyRequest): AuditOrigin {
  return { address: ip, requestId: id };
}
