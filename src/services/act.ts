import type { AuditContext } from './audit-context.js';
import type { AuditOrigin } from './audit-log.js';

/** Who does something, from where and when; the audit event of it says so. */
export interface Act extends AuditContext {
  readonly userId: string;
  readonly origin: AuditOrigin;
}
