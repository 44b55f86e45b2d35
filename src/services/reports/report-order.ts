import type { Prisma } from '../../database/client.js';

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

/** Condition for the reports that follow another one in the order of the keys. */
export function afterAnchor(
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

/** The place of a report in a sort order. */
export function anchorOf(
  sort: readonly ReportSort[],
  last: { id: string } & Record<ReportSortKey, string | Date>,
): ReportAnchor {
  const values = sort.map(({ key }) => {
    const value = last[key];
    return value instanceof Date ? value.toISOString() : value;
  });
  return { values, id: last.id };
}
