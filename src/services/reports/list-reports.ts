import type { Database, Prisma } from '../../database/client.js';
import type { AccountId } from '../account-id.js';
import { type Report, toReport } from './report.js';

export type ReportSortKey = 'title' | 'createdAt' | 'updatedAt';

/** One key of a sort order. */
export interface ReportSort {
  readonly key: ReportSortKey;
  readonly descending: boolean;
}

/** The last report of a page: its sort values in the order of the sort keys, and its id. */
export interface ReportAnchor {
  readonly values: readonly string[];
  readonly id: string;
}

/** Which page of the list. */
export interface ReportListRequest {
  /** Empty: by id. */
  readonly sort: readonly ReportSort[];
  readonly size: number;
  /** Where to begin: after a report of an earlier page, or after so many reports. */
  readonly from: { readonly anchor: ReportAnchor } | { readonly skip: number };
}

export interface ReportPage {
  readonly reports: readonly Report[];
  /** Number of reports on all pages together. */
  readonly recordCount: number;
  /** Where the next page begins; `null` when no report is left. */
  readonly nextAnchor: ReportAnchor | null;
}

/** Reads a page of an account's reports. Equal ones are in order of id, in the direction of the last key. */
export async function listReports(
  { prisma }: Database,
  accountId: AccountId,
  { sort, size, from }: ReportListRequest,
): Promise<ReportPage> {
  const keys = [...sort, { key: 'id' as const, descending: sort.at(-1)?.descending ?? false }];
  const [totals, rows] = await Promise.all([
    prisma.accountTotals.findFirst({ where: { accountId } }),
    prisma.report.findMany({
      where: { accountId, ...('anchor' in from ? afterAnchor(keys, from.anchor) : {}) },
      orderBy: keys.map(({ key, descending }) => ({ [key]: descending ? 'desc' : 'asc' })),
      ...('skip' in from ? { skip: from.skip } : {}),
      take: size + 1,
    }),
  ]);
  // The row beyond the page tells whether there is a next one; the count may have changed since.
  const last = rows.length > size ? rows[size - 1] : undefined;
  return {
    reports: rows.slice(0, size).map(toReport),
    recordCount: totals?.reports ?? 0,
    nextAnchor: last === undefined ? null : anchorOf(sort, last),
  };
}

function afterAnchor(
  keys: readonly { key: ReportSortKey | 'id'; descending: boolean }[],
  { values, id }: ReportAnchor,
): Prisma.ReportWhereInput {
  const bounds = [...values, id];
  return {
    OR: keys.map(({ key, descending }, index) => ({
      ...Object.fromEntries(keys.slice(0, index).map((earlier, at) => [earlier.key, bounds[at]])),
      [key]: { [descending ? 'lt' : 'gt']: bounds[index] },
    })),
  };
}

function anchorOf(
  sort: readonly ReportSort[],
  last: { id: string } & Record<ReportSortKey, string | Date>,
): ReportAnchor {
  const values = sort.map(({ key }) => {
    const value = last[key];
    return value instanceof Date ? value.toISOString() : value;
  });
  return { values, id: last.id };
}
