import type { AccountId } from '../../platform/accounts/account-id.js';
import { Prisma } from '../../platform/database/client.js';
import { type Anchor, isAnchor, type OrderTerm, pageQuery } from '../../platform/database/page-query.js';
import type { Report } from './report.js';

export type ReportSortKey = 'title' | 'createdAt' | 'updatedAt';

/** One key of a sort order. */
interface ReportSort {
  readonly key: ReportSortKey;
  readonly descending: boolean;
}

/** The last report of a page: its sort values in the order of the sort keys, and its id. */
export interface ReportAnchor {
  readonly values: readonly string[];
  readonly id: string;
}

const terms: Readonly<Record<ReportSortKey, Omit<OrderTerm, 'descending'>>> = {
  title: { value: Prisma.sql`title`, type: 'text' },
  createdAt: { value: Prisma.sql`created_at`, type: 'timestamptz' },
  updatedAt: { value: Prisma.sql`updated_at`, type: 'timestamptz' },
};

/** Ends a sort order with the id, in the direction of the last key. */
function reportOrder(sort: readonly ReportSort[]): OrderTerm[] {
  const keys = sort.map(({ key, descending }) => ({ ...terms[key], descending }));
  return [...keys, { value: Prisma.sql`id`, type: 'text', descending: sort.at(-1)?.descending ?? false }];
}

/** Returns whether a value from a client can be the anchor of a report in a sort order. */
export function isReportAnchor(value: unknown, sort: readonly ReportSort[]): value is ReportAnchor {
  const { values, id } = (value ?? {}) as Partial<ReportAnchor>;
  return Array.isArray(values) && isAnchor(reportOrder(sort), [...values, id]);
}

/** Reads the anchor of a row. */
export function toReportAnchor(anchor: Anchor): ReportAnchor {
  return { values: anchor.slice(0, -1), id: anchor.at(-1) ?? '' };
}

/** A page of the list of reports. */
export interface ReportListRequest {
  /** Empty: by id. */
  readonly sort: readonly ReportSort[];
  readonly size: number;
  /** Start of the page: after a report of an earlier page, or after a number of reports. */
  readonly from: { readonly anchor: ReportAnchor } | { readonly skip: number };
}

export interface ReportPage {
  readonly reports: readonly Report[];
  /** Total number of reports on all pages. */
  readonly recordCount: number;
  /** Start of the next page; `null` on the last page. */
  readonly nextAnchor: ReportAnchor | null;
}

const reportSelection = Prisma.sql`
  id, title, description, columns, filters, sort, group_by AS "groupBy", measures, version, created_at AS "createdAt",
  updated_at AS "updatedAt", created_by_user_id AS "createdByUserId",
  created_by_application_id AS "createdByApplicationId"`;

/** Builds the query for a page. Reports with equal sort values are ordered by id, in the direction of the last key. */
export function reportPageQuery(accountId: AccountId, { sort, size, from }: ReportListRequest): Prisma.Sql {
  const reports = {
    source: Prisma.sql`reports`,
    condition: Prisma.sql`account_id = ${accountId}`,
    order: reportOrder(sort),
  };
  const start = 'anchor' in from ? { anchor: [...from.anchor.values, from.anchor.id] } : from;
  return pageQuery(reports, reportSelection, { size, start });
}
