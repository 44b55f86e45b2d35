import type { FastifyRequest } from 'fastify';
import type { AuditOrigin } from '../audit/audit-log.js';

export function auditOrigin({ ip, id }: FastifyRequest): AuditOrigin {
  return { address: ip, requestId: id };
}
