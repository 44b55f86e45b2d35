import { Prisma } from '../../platform/database/client.js';
import { type Anchor, isAnchor, type OrderTerm } from '../../platform/database/page-query.js';

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

const terms: Readonly<Record<ReportSortKey, Omit<OrderTerm, 'descending'>>> = {
  title: { value: Prisma.sql`title`, type: 'text' },
  createdAt: { value: Prisma.sql`created_at`, type: 'timestamptz' },
  updatedAt: { value: Prisma.sql`updated_at`, type: 'timestamptz' },
};

/** Ends a sort order with the id, in the direction of the last key. */
export function reportOrder(sort: readonly ReportSort[]): OrderTerm[] {
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

/** The values that {@link toReportAnchor} reads. */
export function fromReportAnchor({ values, id }: ReportAnchor): Anchor {
  return [...values, id];
}
