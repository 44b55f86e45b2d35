import type { FastifyRequest } from 'fastify';
import type { AuditOrigin } from '../audit/audit-log.js';

/** Origin of a request for the audit log. */
export function auditOrigin({ ip, id }: FastifyRequest): AuditOrigin {
  return { address: ip, requestId: id };
}
