import type { Database } from '../../../src/platform/database/client.js';

/** Runs one statement, in the scope of the caller. */
export function query<Row extends object>(
  { prisma }: Pick<Database, 'prisma'>,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  return prisma.$queryRawUnsafe<Row[]>(text, ...values);
}
