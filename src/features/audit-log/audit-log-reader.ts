import type { AccountId } from '../../platform/accounts/account-id.js';
import { type Database, Prisma } from '../../platform/database/client.js';
import type { Anchor, OrderTerm } from '../../platform/database/keyset.js';
import { cutPage, type OrderedRows, pageQuery } from '../../platform/database/page-query.js';
import { type AuditFilter, auditCondition } from './audit-log-filter.js';

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

/** Reads the audit log. */
export class AuditLogReader {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Reads a page of an account's audit log, newest first. The cost does not depend on the position of the page.
   */
  async list(
    accountId: AccountId,
    options: AuditPage & { readonly filter: AuditFilter },
  ): Promise<{ entries: readonly AuditEntry[]; more: boolean }> {
    const { size, filter } = options;
    const found = await this.#prisma.$queryRaw<(StoredEvent & { anchor: Anchor })[]>(
      auditPageQuery(accountId, filter, options),
    );
    const { rows, nextAnchor } = cutPage(found, size);
    return { entries: await this.#addNames(accountId, rows), more: nextAnchor !== null };
  }

  /** Events and names are in two groups of tables, which a distributed database does not join. */
  async #addNames(accountId: AccountId, events: readonly StoredEvent[]): Promise<AuditEntry[]> {
    const [users, applications] = await Promise.all([
      this.#prisma.user.findMany({
        where: { accountId, id: { in: distinct(events.map(({ userId }) => userId)) } },
        select: { id: true, givenName: true, familyName: true, email: true },
      }),
      this.#prisma.application.findMany({
        where: { accountId, id: { in: distinct(events.map(({ applicationId }) => applicationId)) } },
        select: { id: true, name: true },
      }),
    ]);
    const userOf = new Map(users.map((user) => [user.id, user]));
    const nameOf = new Map(applications.map(({ id, name }) => [id, name]));
    return events.map((event) => {
      const user = userOf.get(event.userId ?? '');
      return {
        ...event,
        userName: user === undefined ? null : `${user.givenName} ${user.familyName}`,
        userEmail: user?.email ?? null,
        applicationName: nameOf.get(event.applicationId ?? '') ?? null,
      };
    });
  }
}

function distinct(ids: readonly (string | null)[]): string[] {
  return [...new Set(ids.filter((id) => id !== null))];
}
