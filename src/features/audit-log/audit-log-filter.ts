import type { AccountId } from '../../platform/accounts/account-id.js';
import type { AuditEventType } from '../../platform/audit/audit-log.js';
import { Prisma } from '../../platform/database/client.js';

/** Retention of audit events, in days. */
export const auditRetentionDays = 400;

/**
 * Types of events of successful token requests, which are most of the events. Failures have other types. The indexes of the
 * audit log have the same list: a change needs a migration.
 */
export const tokenEventTypes = [
  'authorization_code.issued',
  'token.issued',
  'token.refreshed',
  'token.revoked',
] as const satisfies readonly AuditEventType[];

/** Which events of an account are selected. */
export interface AuditFilter {
  /** Absent: all types, except those of tokens without `tokenEvents`. */
  readonly type?: AuditEventType | undefined;
  /** Events of a user, or of the operator at the command line. */
  readonly actor?: { readonly userId: string } | 'operator' | undefined;
  readonly applicationId?: string | undefined;
  /** Events at or after this time. */
  readonly from?: Date | undefined;
  /** Events before this time. */
  readonly before?: Date | undefined;
  /** Whether events of tokens are selected when there is no `type`. */
  readonly tokenEvents?: boolean | undefined;
}

/** As a literal: PostgreSQL uses a partial index only if the text of the query implies its condition. */
const isNoTokenEvent = Prisma.raw(
  `AND event.type NOT IN (${tokenEventTypes.map((type) => `'${type}'`).join(', ')})`,
);

/** Builds the condition for the rows of `audit_events event`. */
export function auditCondition(accountId: AccountId, filter: AuditFilter): Prisma.Sql {
  const { type, actor, applicationId, from, before } = filter;
  const conditions = [
    Prisma.sql`event.account_id = ${accountId}`,
    selectsTokenEvents(filter) ? Prisma.empty : isNoTokenEvent,
    type === undefined ? Prisma.empty : Prisma.sql`AND event.type = ${type}`,
    actorCondition(actor),
    applicationId === undefined ? Prisma.empty : Prisma.sql`AND event.application_id = ${applicationId}`,
    from === undefined ? Prisma.empty : Prisma.sql`AND event.created_at >= ${from}`,
    before === undefined ? Prisma.empty : Prisma.sql`AND event.created_at < ${before}`,
  ];
  return Prisma.join(conditions, ' ');
}

function selectsTokenEvents({ type, tokenEvents = false }: AuditFilter): boolean {
  return type === undefined ? tokenEvents : tokenEventTypes.some((tokenType) => tokenType === type);
}

function actorCondition(actor: AuditFilter['actor']): Prisma.Sql {
  if (actor === undefined) return Prisma.empty;
  // Each request has an address, and the command line has none.
  if (actor === 'operator') return Prisma.sql`AND event.user_id IS NULL AND event.address IS NULL`;
  return Prisma.sql`AND event.user_id = ${actor.userId}`;
}
