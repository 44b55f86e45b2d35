import { Prisma } from '../../../platform/database/client.js';
import { orderBy } from '../../../platform/database/keyset.js';
import type { ResultPlan } from './plan.js';

/** Builds the query for a whole result, whose columns have the names of the header line. */
export function csvQuery({ columns, rows: { source, condition, order } }: ResultPlan): Prisma.Sql {
  const cells = columns.map(({ shown }, index) => Prisma.sql`${shown} AS ${Prisma.raw(`cell_${index}`)}`);
  const named = columns.map(({ key }, index) => Prisma.raw(`cell_${index} AS "${key}"`));
  // Column keys are also names of stored columns: in a single query, ORDER BY would refer to the output columns. The order
  // of the subquery is preserved, because reports run without parallel workers.
  return Prisma.sql`
    SELECT ${Prisma.join(named)} FROM (
      SELECT ${Prisma.join(cells)} FROM ${source} WHERE ${condition} ORDER BY ${orderBy(order)}
    ) AS rows`;
}
