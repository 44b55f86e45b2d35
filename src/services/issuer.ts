import type { Database, Prisma } from '../database/client.js';
import { recordIn } from './audit-log.js';

/** `BASE_URL` is not the issuer that the database records; the message is one line that names the way out. */
export class IssuerError extends Error {
  override readonly name = 'IssuerError';
}

/** The part of a pino logger that {@link claimIssuer} uses. */
interface IssuerLogger {
  warn(details: object, message: string): void;
}

const row = { id: 1 };

/** The issuer that the database records; `null` before the first start. */
export async function readIssuer({
  prisma,
}: {
  prisma: Pick<Prisma.TransactionClient, 'issuer'>;
}): Promise<string | null> {
  return (await prisma.issuer.findUnique({ where: row }))?.url ?? null;
}

/**
 * Makes sure that every process on a database has the same issuer: processes with different ones would reject each
 * other's tokens. The first start records it. The embedded database, which serves one process, adopts another one.
 *
 * @throws {IssuerError} when PostgreSQL records another issuer
 */
export async function claimIssuer(
  database: Database,
  url: string,
  { at, logger }: { at: Date; logger: IssuerLogger },
): Promise<void> {
  // Of processes that start at once one inserts, and the others wait for it and read what it stored.
  await database.prisma.issuer.createMany({ data: { ...row, url, recordedAt: at }, skipDuplicates: true });
  const recorded = await readIssuer(database);
  if (recorded === url) return;
  if (database.kind === 'postgresql') {
    throw new IssuerError(
      `BASE_URL is ${url}, but tokens of this database are issued by ${recorded}: set BASE_URL to it, or change it with "npm run cli -- issuer set ${url}"`,
    );
  }
  await setIssuer(database, url, at);
  logger.warn({ from: recorded, to: url }, 'BASE_URL has changed: access tokens issued before are rejected');
}

/**
 * Changes the issuer that the database records.
 *
 * @returns the earlier issuer, or `null` when there was none
 */
export function setIssuer({ prisma }: Database, url: string, at: Date): Promise<string | null> {
  return prisma.$transaction(async (tx) => {
    await tx.$executeRaw`LOCK TABLE issuer IN SHARE ROW EXCLUSIVE MODE`;
    const earlier = await readIssuer({ prisma: tx });
    if (earlier === url) return earlier;
    const data = { url, recordedAt: at };
    await tx.issuer.upsert({ where: row, create: { ...row, ...data }, update: data });
    const details = { to: url, ...(earlier === null ? {} : { from: earlier }) };
    await recordIn(tx, { type: 'issuer.changed', details }, at);
    return earlier;
  });
}
