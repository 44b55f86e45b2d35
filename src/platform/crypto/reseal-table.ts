import { type AuditEvent, recordAllIn } from '../audit/audit-log.js';
import { type Database, Prisma } from '../database/client.js';
import { openStored, type Seal } from './keyring.js';

/** Number of rows that one transaction reads. */
const pageSize = 500;

type Row<Column extends string> = Readonly<Record<Column, string>>;

/** A table with encrypted columns. Columns are named as in the database. */
interface SealedTable<Column extends string> {
  readonly table: string;
  /** Columns of the primary key, which are text. */
  readonly key: readonly Column[];
  readonly encrypted: readonly Column[];
  /** Columns that `name` and `events` read, beside those of the key. */
  readonly others?: readonly Column[];
  /** Rows with encrypted columns. Default: all. */
  readonly where?: Prisma.Sql;
  readonly seal: Seal;
  /** Describes the secret of a row, for the error. */
  readonly name: (row: Row<Column>) => string;
  /** Audit events of the rows of a transaction that were re-encrypted. */
  readonly events?: (rows: readonly Row<Column>[]) => AuditEvent[];
}

/**
 * Re-encrypts with the current `APP_SECRET` all columns of a table that were encrypted with the previous one, and stores the audit
 * events. Each transaction locks the table, and changes up to 500 rows or none.
 *
 * @returns number of rows that were re-encrypted
 * @throws {UnreadableSecretError} when a column was encrypted with another secret
 */
export async function resealTable<Column extends string>(
  { prisma }: Pick<Database, 'prisma'>,
  sealedTable: SealedTable<Column>,
  at: Date,
): Promise<number> {
  let count = 0;
  let last: Row<Column> | undefined;
  do {
    const page = await prisma.$transaction((tx) => resealPage(tx, sealedTable, { after: last, at }));
    count += page.count;
    last = page.last;
  } while (last !== undefined);
  return count;
}

/** @returns `last`: the last row that was read; `undefined` when there are no more */
async function resealPage<Column extends string>(
  tx: Prisma.TransactionClient,
  { table, key, encrypted, others = [], where = Prisma.sql`true`, seal, name, events }: SealedTable<Column>,
  { after, at }: { after: Row<Column> | undefined; at: Date },
): Promise<{ count: number; last: Row<Column> | undefined }> {
  // A secret that is replaced meanwhile must not come back, and a secret that is stored meanwhile is read.
  await tx.$executeRaw`LOCK TABLE ${Prisma.raw(table)} IN SHARE ROW EXCLUSIVE MODE`;
  const rows = await tx.$queryRaw<Row<Column>[]>`
    SELECT ${names([...key, ...encrypted, ...others])} FROM ${Prisma.raw(table)}
    WHERE (${names(key)}) > (${Prisma.join(key.map((column) => after?.[column] ?? ''))}) AND (${where})
    ORDER BY ${names(key)} LIMIT ${pageSize}`;
  const resealed = await Promise.all(
    rows.map(async (row) => ({
      row,
      values: await Promise.all(encrypted.map((column) => reseal(row, column))),
    })),
  );
  const changed = resealed.filter(({ row, values }) =>
    encrypted.some((column, index) => values[index] !== row[column]),
  );
  if (changed.length > 0) {
    const values = changed.map(
      ({ row, values }) => Prisma.sql`(${Prisma.join([...key.map((column) => row[column]), ...values])})`,
    );
    await tx.$executeRaw`
      UPDATE ${Prisma.raw(table)} AS stored
      SET ${Prisma.raw(encrypted.map((column) => `${column} = resealed.${column}`).join(', '))}
      FROM (VALUES ${Prisma.join(values)}) AS resealed (${names([...key, ...encrypted])})
      WHERE ${Prisma.raw(key.map((column) => `stored.${column} = resealed.${column}`).join(' AND '))}`;
    await recordAllIn(tx, events?.(changed.map(({ row }) => row)) ?? [], at);
  }
  return { count: changed.length, last: rows.length < pageSize ? undefined : rows.at(-1) };

  async function reseal(row: Row<Column>, column: Column): Promise<string | null> {
    const stored: string | null = row[column];
    if (stored === null) return null;
    const { plain, current } = await openStored(seal, stored, name(row));
    return current ? stored : await seal.seal(plain);
  }
}

function names(columns: readonly string[]): Prisma.Sql {
  return Prisma.raw(columns.join(', '));
}
