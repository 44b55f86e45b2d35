import { type Database, Prisma } from '../../../database/client.js';
import { accountScope } from '../../../database/scope.js';
import type { AccountId } from '../../account-id.js';
import type { Report } from '../report.js';
import { orderList } from './order.js';
import { planResult } from './plan.js';

/**
 * Runs a report and yields the whole result as CSV in chunks of bytes: a header line of column keys, then a line for each
 * row. All rows are from one snapshot. Values are not altered.
 *
 * @param signal ends the work of the database at once
 * @see RFC 4180
 */
export function streamCsv(
  database: Database,
  accountId: AccountId,
  report: Report,
  signal: AbortSignal,
): AsyncGenerator<Buffer, void, undefined> {
  const { columns, source, condition, order } = planResult(accountId, report);
  const cells = columns.map(({ shown }, index) => Prisma.sql`${shown} AS ${Prisma.raw(`cell_${index}`)}`);
  const named = columns.map(({ key }, index) => Prisma.raw(`cell_${index} AS "${key}"`));
  // The keys are names of stored columns as well. In one query, ORDER BY would take the values that are shown. The order of
  // the sub-select stays, because reports run without parallel workers.
  const query = Prisma.sql`
    SELECT ${Prisma.join(named)} FROM (
      SELECT ${Prisma.join(cells)} FROM ${source} WHERE ${condition} ORDER BY ${orderList(order)}
    ) AS rows`;
  return database.streamCsv({ query, signal, scope: accountScope(accountId) });
}
