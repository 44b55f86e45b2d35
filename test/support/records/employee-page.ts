import type { Database } from '../../../src/platform/database/client.js';

/** A page of an account's employees by id, read through the models of the Prisma client. */
export async function pageById(
  { prisma }: Database,
  accountId: string,
  { size, from }: { size: number; from: { readonly position: number } | { readonly skip: number } },
) {
  const where = { accountId, ...('position' in from ? { position: { gt: from.position } } : {}) };
  const [recordCount, found] = await Promise.all([
    prisma.employee.count({ where: { accountId } }),
    prisma.employee.findMany({
      where,
      orderBy: { position: 'asc' },
      skip: 'skip' in from ? from.skip : 0,
      take: size + 1,
    }),
  ]);
  const last = found.length > size ? found[size - 1] : undefined;
  return { employees: found.slice(0, size), recordCount, next: last ? Number(last.position) : null };
}
