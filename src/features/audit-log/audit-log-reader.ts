import type { AccountId } from '../../platform/accounts/account-id.js';
import { readActorNames } from '../../platform/accounts/actor-names.js';
import type { AuditEventType, UserAuditContext } from '../../platform/audit/audit-log.js';
import type { AuditedExports, CsvChunks } from '../../platform/audit/audited-exports.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import { csvLine, formulaStarts } from '../../platform/database/cursor-csv.js';
import {
  type Anchor,
  type OrderedRows,
  type OrderTerm,
  pageQuery,
  splitPage,
} from '../../platform/database/page-query.js';
import { accountScope, withScope } from '../../platform/database/scope.js';

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
function auditCondition(accountId: AccountId, filter: AuditFilter): Prisma.Sql {
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

/** A stored event with the names of its user and application. */
export interface AuditEntry {
  readonly id: string;
  readonly type: string;
  readonly createdAt: Date;
  readonly address: string | null;
  readonly requestId: string | null;
  readonly details: Readonly<Record<string, unknown>>;
  readonly userId: string | null;
  /** `null` when the user does not exist. */
  readonly userName: string | null;
  readonly userEmail: string | null;
  readonly applicationId: string | null;
  /** `null` when the application does not exist. */
  readonly applicationName: string | null;
}

/** The last entry of a page; the next page starts after it. */
export type AuditAnchor = Pick<AuditEntry, 'createdAt' | 'id'>;

const order: readonly OrderTerm[] = [
  { value: Prisma.sql`event.created_at`, type: 'timestamptz', descending: true },
  { value: Prisma.sql`event.id`, type: 'text', descending: false },
];

const columns = Prisma.sql`
  event.id, event.type, event.created_at AS "createdAt", event.address, event.request_id AS "requestId", event.details,
  event.user_id AS "userId", event.application_id AS "applicationId"`;

type StoredEvent = Omit<AuditEntry, 'userName' | 'userEmail' | 'applicationName'>;

/** Size and start of a page. */
interface AuditPage {
  /** The last entry of the previous page; absent for the first page. */
  readonly after?: AuditAnchor | undefined;
  readonly size: number;
}

/** Builds the query for a page of the audit log. */
export function auditPageQuery(
  accountId: AccountId,
  filter: AuditFilter,
  { after, size }: AuditPage,
): Prisma.Sql {
  const events: OrderedRows = {
    source: Prisma.sql`audit_events event`,
    condition: auditCondition(accountId, filter),
    order,
  };
  const start = after === undefined ? { skip: 0 } : { anchor: [after.createdAt.toISOString(), after.id] };
  return pageQuery(events, columns, { size, start });
}

/** Builds the query for the newest events of some types: one range of an index for each type. */
function newestQuery(accountId: AccountId, types: readonly AuditEventType[], size: number): Prisma.Sql {
  const ranges = types.map(
    (type) => Prisma.sql`
      (SELECT ${columns} FROM audit_events event WHERE event.account_id = ${accountId} AND event.type = ${type}
       ORDER BY event.created_at DESC, event.id LIMIT ${size})`,
  );
  return Prisma.sql`${Prisma.join(ranges, ' UNION ALL ')} ORDER BY "createdAt" DESC, id LIMIT ${size}`;
}

export class AuditLogReader {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  /**
   * Reads a page of an account's audit log, newest first. The cost does not depend on the position of the page.
   */
  async list(
    accountId: AccountId,
    options: AuditPage & { readonly filter: AuditFilter },
  ): Promise<{ entries: readonly AuditEntry[]; more: boolean }> {
    const { size, filter } = options;
    const found = await this.#database.prisma.$queryRaw<(StoredEvent & { anchor: Anchor })[]>(
      auditPageQuery(accountId, filter, options),
    );
    const { rows, nextAnchor } = splitPage(found, size);
    return { entries: await this.#withNames(accountId, rows), more: nextAnchor !== null };
  }

  /** Reads the newest events of some types, newest first. It reads as many events of each type at most. */
  async newest(
    accountId: AccountId,
    { types, size }: { types: readonly AuditEventType[]; size: number },
  ): Promise<AuditEntry[]> {
    const rows = await this.#database.prisma.$queryRaw<StoredEvent[]>(newestQuery(accountId, types, size));
    return this.#withNames(accountId, rows);
  }

  async #withNames(accountId: AccountId, rows: readonly StoredEvent[]): Promise<AuditEntry[]> {
    const { users, applications } = await readActorNames(this.#database, accountId, rows);
    return rows.map((event) => {
      const user = users.get(event.userId ?? '');
      return {
        ...event,
        userName: user?.name ?? null,
        userEmail: user?.email ?? null,
        applicationName: applications.get(event.applicationId ?? '') ?? null,
      };
    });
  }
}

/** Events of one chunk, which is in memory. */
const eventsPerChunk = 500;

const csvColumns: Readonly<Record<string, (entry: AuditEntry) => string | null>> = {
  id: ({ id }) => id,
  created_at: ({ createdAt }) => createdAt.toISOString(),
  type: ({ type }) => type,
  user_id: ({ userId }) => userId,
  user_name: ({ userName }) => userName,
  user_email: ({ userEmail }) => userEmail,
  application_id: ({ applicationId }) => applicationId,
  application_name: ({ applicationName }) => applicationName,
  address: ({ address }) => address,
  request_id: ({ requestId }) => requestId,
  details: ({ details }) => JSON.stringify(details),
};

/** Exports the audit log as CSV. Each export is an event of the audit log. */
export class AuditLogExports {
  readonly #exports: AuditedExports;
  readonly #reader: AuditLogReader;

  constructor(exports: AuditedExports, reader: AuditLogReader) {
    this.#exports = exports;
    this.#reader = reader;
  }

  /**
   * Yields the selected events as CSV, newest first: a header line, then a line for each event. The log is read in pages, so
   * a long export holds no transaction open. Events that are stored meanwhile are newer and are not part of the export.
   *
   * @param details the filter as it was requested, for the event of the export
   */
  stream(
    { at, ...auditContext }: UserAuditContext,
    {
      filter,
      details,
      signal,
    }: { filter: AuditFilter; details: Readonly<Record<string, string>>; signal: AbortSignal },
  ): CsvChunks {
    return this.#exports.stream({
      event: { type: 'audit_log.exported', ...auditContext, details },
      at,
      chunks: this.#chunks(auditContext.accountId, filter, signal),
      signal,
    });
  }

  async *#chunks(
    accountId: UserAuditContext['accountId'],
    filter: AuditFilter,
    signal: AbortSignal,
  ): CsvChunks {
    const header = csvLine(Object.keys(csvColumns));
    for (let after: AuditAnchor | undefined, isFirst = true; ; isFirst = false) {
      signal.throwIfAborted();
      // In its own scope, because a stream is read outside the scope of the request.
      const { entries, more } = await withScope(accountScope(accountId), () =>
        this.#reader.list(accountId, { filter, after, size: eventsPerChunk }),
      );
      const lines = entries.map((entry) =>
        csvLine(Object.values(csvColumns).map((cell) => plainText(cell(entry)))),
      );
      yield Buffer.from(`${isFirst ? header : ''}${lines.join('')}`);
      after = entries.at(-1);
      if (!more) return;
    }
  }
}

/**
 * Marks a value that a spreadsheet would interpret as a formula as text. Users and clients choose names, addresses and
 * request ids, and an administrator opens the file.
 */
function plainText(value: string | null): string | null {
  return value !== null && formulaStarts.has(value.charAt(0)) ? `'${value}` : value;
}
