import { type Database, Prisma } from '../../../src/platform/database/client.js';

/** Runs a query, and returns its plan and the number of blocks that it reads. */
export async function planOf(
  { prisma }: Pick<Database, 'prisma'>,
  query: Prisma.Sql,
): Promise<{ text: string; blocks: number }> {
  const lines = await prisma.$queryRaw<{ 'QUERY PLAN': string }[]>(
    Prisma.sql`EXPLAIN (ANALYZE, BUFFERS, TIMING OFF) ${query}`,
  );
  const text = lines.map((line) => line['QUERY PLAN']).join('\n');
  const buffers = /Buffers: shared (.*)/.exec(text)?.[1] ?? '';
  const blocks = [...buffers.matchAll(/(?:hit|read)=(\d+)/g)];
  return { text, blocks: blocks.reduce((sum, [, read]) => sum + Number(read), 0) };
}
