import { recordIn } from '../../platform/audit/audit-log.js';
import type { Database, Prisma } from '../../platform/database/client.js';

/** A signing key as it is stored. */
export interface StoredSigningKey {
  /** Thumbprint of the public key (RFC 7638). */
  readonly kid: string;
  readonly algorithm: string;
  /** Encrypted JWK. */
  readonly privateKey: string;
  readonly publicKey: Readonly<Record<string, string>>;
  readonly createdAt: Date;
}

/** Reads the keys that have not expired, the newest first. At most one is current; the others are retired. */
export async function listKeys(
  { prisma }: Database,
  now: Date,
): Promise<(StoredSigningKey & { readonly retiredAt: Date | null })[]> {
  const rows = await prisma.signingKey.findMany({
    where: unexpired(now),
    orderBy: [{ createdAt: 'desc' }, { kid: 'asc' }],
  });
  return rows.map((row) => ({ ...row, publicKey: row.publicKey as Record<string, string> }));
}

/** Finds which of these keys are stored and have not expired. */
export async function findStoredKeys(
  { prisma }: Database,
  kids: readonly string[],
  now: Date,
): Promise<ReadonlySet<string>> {
  const rows = await prisma.signingKey.findMany({
    where: { kid: { in: [...kids] }, ...unexpired(now) },
    select: { kid: true },
  });
  return new Set(rows.map(({ kid }) => kid));
}

/** Stores the first key, unless there is a current one. */
export async function insertFirstKey({ prisma }: Database, key: StoredSigningKey): Promise<void> {
  await prisma.$transaction(async (tx) => {
    // Two processes that start at the same time must not each store a key and sign with their own.
    await lockKeys(tx);
    if ((await tx.signingKey.count({ where: { retiredAt: null } })) === 0) {
      await tx.signingKey.create({ data: key });
    }
  });
}

/**
 * Stores a key as the current one, and writes an audit event.
 *
 * @param earlier `expiresAt`: time at which the previous key expires; `'discard'`: all earlier keys expire now
 */
export async function insertNewKey(
  { prisma }: Database,
  key: StoredSigningKey,
  { at, earlier }: { at: Date; earlier: { readonly expiresAt: Date } | 'discard' },
): Promise<void> {
  await prisma.$transaction(async (tx) => {
    await lockKeys(tx);
    await tx.signingKey.updateMany({
      where: { retiredAt: null },
      data: { retiredAt: at, expiresAt: earlier === 'discard' ? at : earlier.expiresAt },
    });
    if (earlier === 'discard') await tx.signingKey.updateMany({ data: { expiresAt: at } });
    await tx.signingKey.create({ data: key });
    await recordIn(tx, { type: 'signing_key.rotated', details: { kid: key.kid } }, at);
  });
}

function unexpired(now: Date) {
  return { OR: [{ expiresAt: null }, { expiresAt: { gt: now } }] };
}

async function lockKeys(tx: Prisma.TransactionClient): Promise<void> {
  await tx.$executeRaw`LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE`;
}
