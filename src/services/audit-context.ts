import type { AccountId } from './account-id.js';
import type { AuditOrigin } from './audit-log.js';

/** Who makes a change, from where and when; the audit event of the change says so. */
export interface AuditContext {
  /** The only account whose rows may be changed. */
  readonly accountId: AccountId;
  /** Absent for an operator at the command line. */
  readonly userId?: string | undefined;
  /** Absent for an operator at the command line. */
  readonly origin?: AuditOrigin | undefined;
  readonly at: Date;
}
