import { type Database, Prisma } from '../database/client.js';
import { recordIn } from '../services/audit-log.js';
import type { AppSecrets } from '../services/keyring.js';
import { createKeySeal, openSealedKey } from './sealed-keys.js';

/**
 * Encrypts every signing key with the current secret that was encrypted with the previous one: all of them, or none.
 *
 * @returns how many keys were encrypted again; 0 when it was done before
 * @throws {UnreadableSigningKeyError} when a key was sealed with neither secret
 */
export function resealSigningKeys({ prisma }: Database, appSecrets: AppSecrets, at: Date): Promise<number> {
  const seal = createKeySeal(appSecrets);
  return prisma.$transaction(async (tx) => {
    // A key that is rotated in at the same time must not be missed.
    await tx.$executeRaw`LOCK TABLE signing_keys IN SHARE ROW EXCLUSIVE MODE`;
    const rows = await tx.signingKey.findMany({ select: { kid: true, privateKey: true } });
    const opened = await Promise.all(
      rows.map(async (row) => ({ kid: row.kid, ...(await openSealedKey(row, seal)) })),
    );
    const outdated = opened.filter(({ current }) => !current);
    if (outdated.length === 0) return 0;
    const sealed = await Promise.all(
      outdated.map(async ({ kid, plain }) => Prisma.sql`(${kid}, ${await seal.seal(plain)})`),
    );
    await tx.$executeRaw`
      UPDATE signing_keys SET private_key = resealed.private_key
      FROM (VALUES ${Prisma.join(sealed)}) AS resealed (kid, private_key) WHERE signing_keys.kid = resealed.kid`;
    const details = { kids: outdated.map(({ kid }) => kid) };
    await recordIn(tx, { type: 'signing_key.resealed', details }, at);
    return outdated.length;
  });
}
