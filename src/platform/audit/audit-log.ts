import type { AccountId } from '../accounts/account-id.js';
import type { Clock } from '../clock.js';
import { createBatcher } from '../database/batcher.js';
import { type Database, type PreparedStatement, Prisma } from '../database/client.js';
import { randomId } from '../database/ids.js';
import { accountScope, noAccount } from '../database/scope.js';

/** Retention of audit events, in days. */
export const auditRetentionDays = 400;

/** Who makes a change. Both are absent for the operator. */
export interface Actor {
  readonly userId?: string | null | undefined;
  readonly applicationId?: string | null | undefined;
}

/** Account, actor, origin and time of a change. Its audit events contain them. Without actor and origin, the operator. */
export interface AuditContext extends Actor {
  /** The account that the change is scoped to. */
  readonly accountId: AccountId;
  readonly origin?: AuditOrigin | undefined;
  readonly at: Date;
}

/** Audit context of a change that applications and signed-in users can make. */
export interface CallerAuditContext extends AuditContext {
  /** `null` when an application acts on its own behalf. */
  readonly userId: string | null;
  /** Absent when a signed-in user makes the change. */
  readonly applicationId?: string;
  readonly origin: AuditOrigin;
}

/** Audit context of a signed-in user, or of an application on behalf of a user. */
export interface UserAuditContext extends CallerAuditContext {
  readonly userId: string;
}

/** Audit context of an application that acts on its own behalf or on that of a user. */
export interface ApplicationAuditContext extends CallerAuditContext {
  readonly applicationId: string;
}

/**
 * Stores audit events from a JSON array and returns their ids. The second parameter is their accounts, separated by commas.
 * Events of accounts that do not exist are omitted.
 *
 * Benchmark `token` (1.6 times oidc-provider); compared with the models in test/platform/audit/insert-audit-events.test.ts.
 */
const insertAuditEvents: PreparedStatement = {
  name: 'insert_audit_events',
  text: `
    INSERT INTO audit_events AS stored
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT id, type, account_totals.account_id, "userId", "applicationId", address, "requestId", details, "createdAt"
    FROM json_to_recordset($1::json) AS event (
      id text, type text, "accountId" text, "userId" text, "applicationId" text, address text, "requestId" text,
      details jsonb, "createdAt" timestamptz)
    JOIN account_totals ON account_totals.account_id = event."accountId"
    WHERE account_totals.account_id = ANY (string_to_array($2, ','))
    RETURNING stored.id`,
};

/** Stores events of no account from a JSON array. */
const insertSystemEvents: PreparedStatement = {
  name: 'insert_system_events',
  text: `
    INSERT INTO system_events (id, type, address, request_id, details, created_at)
    SELECT id, type, address, "requestId", details, "createdAt"
    FROM json_to_recordset($1::json) AS event (
      id text, type text, address text, "requestId" text, details jsonb, "createdAt" timestamptz)`,
};

export type AuditEventType =
  | 'sign_in.succeeded'
  | 'sign_in.password_accepted'
  | 'sign_in.failed'
  | 'sign_in.rate_limited'
  | 'sign_out'
  | 'second_factor.failed'
  | 'second_factor.rate_limited'
  | 'authenticator_app.added'
  | 'authenticator_app.removed'
  | 'passkey.added'
  | 'passkey.removed'
  | 'recovery_codes.created'
  | 'reauthentication.succeeded'
  | 'reauthentication.failed'
  | 'reauthentication.rate_limited'
  | 'consent.allowed'
  | 'consent.denied'
  | 'authorization_code.issued'
  | 'authorization_code.replayed'
  | 'token.issued'
  | 'token.refreshed'
  | 'refresh_token.reused'
  | 'refresh_token.replayed'
  | 'token.revoked'
  | 'grant.revoked'
  | 'grant.scopes_removed'
  | 'client_authentication.failed'
  | 'application.created'
  | 'application.updated'
  | 'application.deleted'
  | 'application.secret_created'
  | 'application.secret_revoked'
  | 'application.keys_changed'
  | 'application.keys_removed'
  | 'application.access_revoked'
  | 'application.published'
  | 'application.withdrawn'
  | 'application.document_requested'
  | 'application.approval_requested'
  | 'application.approval_declined'
  | 'application.approved'
  | 'application.suspended'
  | 'report.created'
  | 'report.updated'
  | 'report.deleted'
  | 'report.exported'
  | 'audit_log.exported'
  | 'signing_key.rotated'
  | 'signing_key.resealed'
  | 'issuer.changed'
  | 'account.created'
  | 'account.domain_confirmed'
  | 'account.domain_removed'
  | 'identity_provider.created'
  | 'identity_provider.updated'
  | 'identity_provider.deleted'
  | 'identity_provider.resealed'
  | 'account.second_factor_policy_changed'
  | 'account.development_policy_changed'
  | 'account.application_policy_changed'
  | 'user.created'
  | 'user.updated'
  | 'user.disabled'
  | 'user.enabled'
  | 'user.role_changed'
  | 'user.password_changed'
  | 'user.sessions_revoked'
  | 'user.second_factor_removed'
  | 'user.password_link_created'
  | 'user.email_change_requested'
  | 'user.email_changed'
  | 'user.identity_linked'
  | 'user.identity_unlinked'
  | 'invitation.created'
  | 'invitation.revoked'
  | 'invitation.accepted'
  | 'employee.created'
  | 'employee.updated'
  | 'employee.deleted'
  | 'custom_attribute.created'
  | 'custom_attribute.updated'
  | 'custom_attribute.archived'
  | 'custom_attribute.restored'
  | 'custom_attribute.purge_requested'
  | 'custom_attribute.purged'
  | 'directory.exported'
  | 'employees.imported'
  | 'employees.import_undone'
  | 'webhook_endpoint.created'
  | 'webhook_endpoint.updated'
  | 'webhook_endpoint.deleted'
  | 'webhook_endpoint.secret_rotated'
  | 'webhook_endpoint.paused'
  | 'webhook_endpoint.resumed'
  | 'webhook_endpoint.resealed';

/** IP address and id of the request that caused an event. */
export interface AuditOrigin {
  readonly address: string;
  readonly requestId: string;
}

/**
 * An audit event. Without `accountId` it belongs to no account, such as a failed sign-in with an unknown e-mail address. It
 * must not contain a secret, a token or a password.
 */
export interface AuditEvent extends Actor {
  readonly type: AuditEventType;
  readonly accountId?: string | null | undefined;
  readonly origin?: AuditOrigin | undefined;
  readonly details?: Readonly<Record<string, string | readonly string[]>>;
}

type AccountEvent = AuditEvent & { readonly accountId: string };

/** Stores audit events. A change is acknowledged only after its event is stored. */
export class AuditLog {
  readonly #writeOfAccount: (event: AccountEvent) => Promise<true>;
  readonly #writeOfNoAccount: (event: AuditEvent) => Promise<true>;

  constructor(database: Database, clock: Clock) {
    const limits = { maxBatchSize: 200, concurrency: 2 };
    this.#writeOfAccount = createBatcher(async (events) => {
      const at = clock();
      const rows = events.map((event) => toRow(event, at));
      const scope = accountScope(...events.map(({ accountId }) => accountId));
      const values = [JSON.stringify(rows), scope];
      const stored = await database.runPrepared<{ id: string }>(insertAuditEvents, values, scope);
      const ids = new Set(stored.map(({ id }) => id));
      return rows.map(({ id }) => ids.has(id) || new Error('The account of an audit event does not exist'));
    }, limits);
    this.#writeOfNoAccount = createBatcher(async (events) => {
      const at = clock();
      const rows = JSON.stringify(events.map((event) => toSystemRow(event, at)));
      await database.runPrepared(insertSystemEvents, [rows], noAccount);
      return events.map(() => true);
    }, limits);
  }

  /** Stores an event. Events of concurrent requests share a statement. */
  async record(event: AuditEvent): Promise<void> {
    await (isOfAccount(event) ? this.#writeOfAccount(event) : this.#writeOfNoAccount(event));
  }
}

/** Stores an event in the transaction of the change that it describes. */
export async function recordIn(tx: Prisma.TransactionClient, event: AuditEvent, at: Date): Promise<void> {
  if (isOfAccount(event)) await tx.auditEvent.create({ data: toRow(event, at) });
  // Not `create`, which reads the row back: only the scope of all accounts may read system events.
  else await tx.systemEvent.createMany({ data: [toSystemRow(event, at)] });
}

function isOfAccount(event: AuditEvent): event is AccountEvent {
  return event.accountId != null;
}

/** Number of events of accounts that one statement stores. */
const eventsAtOnce = 1_000;

/** Stores events with few statements, in the transaction of the changes that they describe. */
export async function recordAllIn(
  tx: Prisma.TransactionClient,
  events: readonly AuditEvent[],
  at: Date,
): Promise<void> {
  const ofAccounts = events.filter(isOfAccount).map((event) => toRow(event, at));
  for (let start = 0; start < ofAccounts.length; start += eventsAtOnce)
    await tx.auditEvent.createMany({ data: ofAccounts.slice(start, start + eventsAtOnce) });
  const others = events.filter((event) => !isOfAccount(event)).map((event) => toSystemRow(event, at));
  if (others.length > 0) await tx.systemEvent.createMany({ data: others });
}

/**
 * Stores the event of work with several steps, or updates its details. Called in the transaction of each step, so that the
 * event describes exactly the committed steps.
 *
 * @param id id of the event, the same for all steps
 */
export async function recordProgressIn(
  tx: Prisma.TransactionClient,
  id: string,
  event: AccountEvent,
  at: Date,
): Promise<void> {
  const row = { ...toRow(event, at), id };
  await tx.auditEvent.upsert({
    where: { accountId_id: { accountId: event.accountId, id } },
    create: row,
    update: { details: row.details },
  });
}

function toRow({ accountId, userId, applicationId, ...event }: AccountEvent, createdAt: Date) {
  return {
    ...toSystemRow(event, createdAt),
    accountId,
    userId: userId ?? null,
    applicationId: applicationId ?? null,
  };
}

function toSystemRow(
  { type, origin, details }: Pick<AuditEvent, 'type' | 'origin' | 'details'>,
  createdAt: Date,
) {
  return {
    id: randomId(),
    type,
    address: origin?.address ?? null,
    requestId: origin?.requestId ?? null,
    details: (details ?? {}) as Record<string, string>,
    createdAt,
  };
}

/**
 * Builds the `INSERT` of an event as a part of a larger statement.
 *
 * @param source name of the part that returns `account_id`, `user_id`, `grant_id` and `scopes`; each row of the account is an
 *   event
 */
export function auditedIn(
  source: Prisma.Sql,
  {
    type,
    accountId,
    applicationId,
    origin,
    at,
  }: { type: AuditEventType; accountId: AccountId; applicationId: string; origin: AuditOrigin; at: Date },
): Prisma.Sql {
  return Prisma.sql`
    INSERT INTO audit_events
      (id, type, account_id, user_id, application_id, address, request_id, details, created_at)
    SELECT ${randomId()}, ${type}, account_totals.account_id, user_id, ${applicationId}, ${origin.address}, ${origin.requestId},
           jsonb_build_object('grant', grant_id, 'scopes', to_jsonb(scopes)), ${at}
    FROM ${source} AS source JOIN account_totals ON account_totals.account_id = source.account_id
    WHERE account_totals.account_id = ${accountId}`;
}
