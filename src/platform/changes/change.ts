import pg from 'pg';
import {
  type Actor,
  type AuditContext,
  type AuditEvent,
  type AuditEventType,
  recordAllIn,
  recordIn,
} from '../audit/audit-log.js';
import type { Database, Prisma } from '../database/client.js';
import { accountScope, type TenantScope, withScope } from '../database/scope.js';

type Details = NonNullable<AuditEvent['details']>;

/** An event of a change. Its actor is that of the change, unless the event has its own. */
interface UnitEvent extends Actor {
  readonly type: AuditEventType;
  readonly details?: Details | undefined;
}

/** What makes a change of employees, if it is not a form or a command for single employees. */
export type ChangeSource = 'import' | 'import_undo';

/** A change in progress: its transaction, its context, and its events. */
export class Unit<Context extends AuditContext = AuditContext> {
  readonly tx: Prisma.TransactionClient;
  readonly context: Context;

  constructor(tx: Prisma.TransactionClient, context: Context) {
    this.tx = tx;
    this.context = context;
  }

  /** Stores an audit event of the change. */
  async record(type: AuditEventType, details?: Details, actor?: Actor): Promise<void> {
    await recordIn(this.tx, this.#complete({ type, details, ...actor }), this.context.at);
  }

  /** Stores audit events of the change with few statements. */
  async recordAll(events: readonly UnitEvent[]): Promise<void> {
    await recordAllIn(
      this.tx,
      events.map((event) => this.#complete(event)),
      this.context.at,
    );
  }

  /** Names the actor in the feed events of the change, which triggers write. Called before the first write. */
  async setActor(source?: ChangeSource): Promise<void> {
    await setActor(this.tx, this.context, source);
  }

  #complete({ details = {}, ...event }: UnitEvent) {
    const { accountId, userId, applicationId, origin } = this.context;
    return { accountId, userId, applicationId, origin, ...event, details };
  }
}

/** Sets the actor of the events of a transaction, before its first change. Without it, the operator is the actor. */
export async function setActor(
  tx: Prisma.TransactionClient,
  { userId, applicationId }: Actor,
  source?: ChangeSource,
): Promise<void> {
  if (userId == null && applicationId == null && source === undefined) return;
  const actor = JSON.stringify({
    user: userId ?? undefined,
    application: applicationId ?? undefined,
    source,
  });
  // Not set_config: Citus sends only SET LOCAL statements to workers.
  await tx.$executeRawUnsafe(`SET LOCAL app.actor = ${pg.escapeLiteral(actor)}`);
}

/**
 * Locks rows in a transaction until it ends, and returns what it has read. `lock` of `locks.ts` has those of accounts, users and
 * applications.
 */
type Lock<Context extends AuditContext, Locked> = (
  tx: Prisma.TransactionClient,
  context: Context,
) => Promise<Locked>;

/**
 * Changes data of an account in one transaction together with its events, in the scope of the account.
 *
 * PostgreSQL may abort the transaction because of a conflict. It is then repeated once
 * (`src/platform/database/postgresql/conflict-retry.ts`), so `work` has no effect outside of it.
 *
 * @param lock what is locked first; see `src/platform/database/README.md` for the order of further locks
 * @param work gets what the lock has read, and returns the outcome
 * @param options maximum time to wait for the transaction and to run it, in milliseconds; default: that of the database. `scope`: the
 *   accounts whose rows are changed; default: that of the context
 */
export function change<Context extends AuditContext, Locked, Outcome>(
  prisma: Database['prisma'],
  context: Context,
  lock: Lock<Context, Locked>,
  work: (unit: Unit<Context>, locked: Locked) => Promise<Outcome>,
  {
    scope = accountScope(context.accountId),
    ...limits
  }: { readonly maxWait?: number; readonly timeout?: number; readonly scope?: TenantScope } = {},
): Promise<Outcome> {
  return withScope(scope, () =>
    prisma.$transaction(async (tx) => work(new Unit(tx, context), await lock(tx, context)), limits),
  );
}
