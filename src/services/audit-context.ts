import type { AccountId } from './account-id.js';
import type { AuditOrigin } from './audit-log.js';

/** Who makes a change, from where and when; the audit event of the change contains it. */
export interface AuditContext {
  /** The only account whose rows may be changed. */
  readonly accountId: AccountId;
  /** Absent for an operator at the command line. */
  readonly userId?: string | undefined;
  /** Absent for an operator at the command line. */
  readonly origin?: AuditOrigin | undefined;
  readonly at: Date;
}

/** A signed-in user makes the change. */
export interface UserAuditContext extends AuditContext {
  readonly userId: string;
  readonly origin: AuditOrigin;
}

/** An application makes the change, on its own behalf or on that of a user. */
export interface ApplicationAuditContext extends Omit<AuditContext, 'userId'> {
  readonly applicationId: string;
  /** `null` when the application acts on its own behalf. */
  readonly userId: string | null;
  readonly origin: AuditOrigin;
}
