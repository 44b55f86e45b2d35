import type { AccountId } from './account-id.js';
import type { AuditOrigin } from './audit-log.js';

/** Who does something, from where and when; the audit event of it says so. */
export interface Act {
  /** The only account whose rows may be touched. */
  readonly accountId: AccountId;
  readonly userId: string;
  readonly origin: AuditOrigin;
  readonly at: Date;
}
