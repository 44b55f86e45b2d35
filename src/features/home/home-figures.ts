import type { AccountId } from '../../platform/accounts/account-id.js';
import type { Core } from '../../platform/core.js';
import { Prisma } from '../../platform/database/generated/client.js';
import {
  currentEmployees,
  type EmployeeSelection,
  isReadable,
  joinersIn,
  leaversIn,
  maximumRead,
  sharedAddresses,
  withoutManager,
} from '../employees/index.js';

/** Numbers of employees and reports. */
export interface Figures {
  /** All employees, with those who have left. */
  readonly total: number;
  readonly headcount: number;
  readonly onLeave: number;
  readonly reports: number;
  /** `null` for an account with more than {@link maximumRead} employees. */
  readonly read: ReadFigures | null;
}

/** What is counted by reading records. */
interface ReadFigures {
  readonly joiners: number;
  readonly leavers: number;
  readonly withoutManager: number;
  /** E-mail addresses that more than one employee has. */
  readonly sharedAddresses: number;
}

type FiguresRow = Omit<Figures, 'read'> & ReadFigures;

/**
 * Builds the query for the figures of an account and a month, `YYYY-MM`. Headcount and employees on leave are sums of maintained
 * counts. The others read the records of the account once, and its addresses once, but nothing of an account with more
 * than {@link maximumRead} employees.
 */
export function figuresQuery(accountId: AccountId, month: string): Prisma.Sql {
  const fromFacets = (condition: Prisma.Sql) =>
    Prisma.sql`coalesce(sum(count) FILTER (WHERE ${condition}), 0)::int`;
  const matching = ({ condition }: EmployeeSelection) =>
    Prisma.sql`(count(*) FILTER (WHERE ${condition(accountId)}))::int`;
  return Prisma.sql`
    SELECT totals.*, records.*,
      coalesce((SELECT reports FROM account_totals WHERE account_id = ${accountId}), 0) AS reports,
      (SELECT count(*)::int FROM (${sharedAddresses(accountId)}) AS shared) AS "sharedAddresses"
    FROM (
      SELECT ${fromFacets(Prisma.sql`true`)} AS total, ${fromFacets(currentEmployees.condition(accountId))} AS headcount,
        ${fromFacets(Prisma.sql`status = 'on_leave'`)} AS "onLeave"
      FROM employee_facets WHERE account_id = ${accountId}) AS totals
    CROSS JOIN (
      SELECT ${matching(joinersIn(month))} AS joiners, ${matching(leaversIn(month))} AS leavers,
        ${matching(withoutManager)} AS "withoutManager"
      FROM employees WHERE account_id = ${accountId} AND ${isReadable(accountId)}) AS records`;
}

/** What an account has already set up. */
export interface AccountSetup {
  readonly createdAt: Date;
  /** Whether it has another user, or an open invitation. */
  readonly hasColleague: boolean;
  readonly hasApplication: boolean;
}

/** Counts what Home shows. */
export class HomeFigures {
  readonly #core: Pick<Core, 'database' | 'reads'>;

  constructor(core: Pick<Core, 'database' | 'reads'>) {
    this.#core = core;
  }

  /** Counts the employees of an account, with the joiners and leavers of a month, `YYYY-MM`. */
  async figures(accountId: AccountId, month: string): Promise<Figures> {
    const [row] = await this.#core.reads.prisma.$queryRaw<[FiguresRow]>(figuresQuery(accountId, month));
    const { total, headcount, onLeave, reports, ...read } = row;
    return { total, headcount, onLeave, reports, read: total > maximumRead ? null : read };
  }

  /** Reads what the account has set up besides employees and reports, for one of its users. */
  async setup(accountId: AccountId, { userId, at }: { userId: string; at: Date }): Promise<AccountSetup> {
    const [row] = await this.#core.database.prisma.$queryRaw<[AccountSetup]>`
      SELECT accounts.created_at AS "createdAt",
        EXISTS (SELECT FROM users WHERE account_id = ${accountId} AND id <> ${userId})
        OR EXISTS (
          SELECT FROM one_time_links
          WHERE account_id = ${accountId} AND purpose = 'invitation' AND used_at IS NULL
            AND expires_at > ${at.toISOString()}::timestamptz) AS "hasColleague",
        EXISTS (SELECT FROM applications WHERE account_id = ${accountId}) AS "hasApplication"
      FROM accounts WHERE id = ${accountId}`;
    return row;
  }
}
