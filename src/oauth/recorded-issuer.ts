import { recordIn } from '../platform/audit/audit-log.js';
import type { Database, Prisma } from '../platform/database/client.js';

/** `BASE_URL` is not the issuer that the database records. The message is one line with the remedy. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';
}

const row = { id: 1 };

/** Reads the issuer of access tokens that the database records; `null` before the first start. */
export async function readIssuer({
  issuer,
}: Pick<Prisma.TransactionClient, 'issuer'>): Promise<string | null> {
  return (await issuer.findUnique({ where: row }))?.url ?? null;
}

/**
 * Checks that every process of a database has the same issuer. Otherwise processes would reject each other's tokens. The
 * first start records the issuer. On the embedded database, which one process uses, a changed issuer replaces it.
 *
 * @throws {IssuerError} when PostgreSQL records another issuer
 */
export async function claimIssuer(
  database: Database,
  url: string,
  { at, logger }: { at: Date; logger: { warn(details: object, message: string): void } },
): Promise<void> {
  const { prisma, kind } = database;
  // When processes start at the same time, one inserts the row, and the others wait and read it.
  await prisma.issuer.createMany({ data: { ...row, url, recordedAt: at }, skipDuplicates: true });
  const recorded = await readIssuer(prisma);
  if (recorded === url) return;
  if (kind === 'postgresql') {
    throw new IssuerError(
      `BASE_URL is ${url}, but tokens of this database are issued by ${recorded}: set BASE_URL to it, or change it with "npm run cli -- issuer set ${url}"`,
    );
  }
  await setIssuer(database, url, at);
  logger.warn({ from: recorded, to: url }, 'BASE_URL has changed: access tokens issued before are rejected');
}

/**
 * Changes the recorded issuer.
 *
 * @returns the earlier issuer, or `null` when there was none
 */
export function setIssuer({ prisma }: Database, url: string, at: Date): Promise<string | null> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE issuer IN SHARE ROW EXCLUSIVE MODE`;
    const earlier = await readIssuer(tx);
    if (earlier === url) return earlier;
    const data = { url, recordedAt: at };
    await tx.issuer.upsert({ where: row, create: { ...row, ...data }, update: data });
    const details = { to: url, ...(earlier === null ? {} : { from: earlier }) };
    await recordIn(tx, { type: 'issuer.changed', details }, at);
    return earlier;
  });
}
