import { type Database, type Lines, Prisma } from '../../../database/client.js';
import { accountScope } from '../../../database/scope.js';
import type { AccountId } from '../../account-id.js';
import type { Report } from '../report.js';
import { orderList } from './order.js';
import { planResult, type ResultColumn } from './plan.js';

/**
 * Runs a report and yields the whole result as a table, piece by piece: a header line of column keys, then a line
 * for each row. All rows are of one moment. Values are not altered. The header line is a piece by itself.
 *
 * @param signal ends the work of the database at once
 * @see RFC 4180
 */
export async function* streamCsv(
  database: Database,
  accountId: AccountId,
  report: Report,
  signal: AbortSignal,
): AsyncGenerator<Lines, void, undefined> {
  const { columns, source, condition, order } = planResult(accountId, report);
  const cells = columns.map(({ shown }, index) => Prisma.sql`${shown} AS ${cellName(index)}`);
  // OFFSET 0 keeps the database from writing out each cell wherever it is named.
  const { text, values } = Prisma.sql`
    SELECT ${csvLine(columns)} FROM (
      SELECT ${Prisma.join(cells)}, ${quotable(columns)} AS quotable
      FROM ${source} WHERE ${condition} ORDER BY ${orderList(order)} OFFSET 0
    ) AS rows`;
  const lines = database.streamLines(text, values, signal, accountScope(accountId));
  try {
    // The header waits for the first rows: what fails before there are any can still be told.
    const first = await lines.next();
    // It is no row of the result.
    yield { bytes: Buffer.from(`${columns.map(({ key }) => key).join(',')}\r\n`), count: 0 };
    if (first.done === true) return;
    yield first.value;
    yield* lines;
  } finally {
    await lines.return();
  }
}

function cellName(index: number): Prisma.Sql {
  return Prisma.raw(`cell_${index}`);
}

/** Everything on a row that could need quotes, which numbers and moments never do. */
function quotable(columns: readonly ResultColumn[]): Prisma.Sql {
  const texts = columns.flatMap(({ type, shown }) => (type === 'string' ? [shown] : []));
  return texts.length === 0 ? Prisma.sql`''` : Prisma.sql`concat(${Prisma.join(texts)})`;
}

/**
 * The line of a row. The database writes it: one value for each row is much cheaper to carry and to read than one
 * for each cell. Whether anything needs quotes is looked up once for the whole row, because hardly ever does it.
 */
function csvLine(columns: readonly ResultColumn[]): Prisma.Sql {
  const cells = columns.map((_, index) => cellName(index));
  // A line with nothing on it would be no row to most readers.
  const quotesEmpty = cells.length === 1;
  return Prisma.sql`
    CASE WHEN ${needsQuotes(Prisma.sql`quotable`, quotesEmpty)}
    THEN concat_ws(',', ${Prisma.join(cells.map((cell) => quoted(cell, quotesEmpty)))})
    ELSE concat_ws(',', ${Prisma.join(cells)}) END`;
}

function quoted(cell: Prisma.Sql, quotesEmpty: boolean): Prisma.Sql {
  return Prisma.sql`
    CASE WHEN ${needsQuotes(cell, quotesEmpty)} THEN '"' || replace(${cell}, '"', '""') || '"' ELSE ${cell} END`;
}

/** Four searches for a character are several times as fast as one for a pattern. */
function needsQuotes(text: Prisma.Sql, quotesEmpty: boolean): Prisma.Sql {
  const special = Prisma.sql`
    strpos(${text}, ',') > 0 OR strpos(${text}, '"') > 0 OR strpos(${text}, E'\\r') > 0 OR strpos(${text}, E'\\n') > 0`;
  return quotesEmpty ? Prisma.sql`(${special} OR ${text} = '')` : Prisma.sql`(${special})`;
}
