import type { AccountId } from '../accounts/account-id.js';
import type { AuditOrigin } from './audit-log.js';

/** Account, user, origin and time of a change. The audit event of the change contains them. */
export interface AuditContext {
  /** The account that the change is scoped to. */
  readonly accountId: AccountId;
  /** Absent for the command line. */
  readonly userId?: string | undefined;
  /** Absent for the command line. */
  readonly origin?: AuditOrigin | undefined;
  readonly at: Date;
}

/** Audit context of a signed-in user. */
export interface UserAuditContext extends AuditContext {
  readonly userId: string;
  readonly origin: AuditOrigin;
}

/** Audit context of an application that acts on its own behalf or on that of a user. */
export interface ApplicationAuditContext extends Omit<AuditContext, 'userId'> {
  readonly applicationId: string;
  /** `null` when the application acts on its own behalf. */
  readonly userId: string | null;
  readonly origin: AuditOrigin;
}

/** Audit context of a change that applications and signed-in users can make. */
export interface CallerAuditContext extends Omit<ApplicationAuditContext, 'applicationId'> {
  /** Absent when a signed-in user makes the change. */
  readonly applicationId?: string;
}
