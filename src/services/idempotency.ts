import { createHash } from 'node:crypto';
import type { Database, Prisma } from '../database/client.js';

/** A request that its sender may repeat: the key is the sender's, the payload is what must not differ. */
export interface Repeatable {
  readonly key: string;
  readonly operation: string;
  readonly payload: unknown;
}

/** An answer as it was sent first, to the byte. */
export interface StoredAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type RepeatableOutcome =
  | { readonly kind: 'answered'; readonly answer: StoredAnswer }
  | { readonly kind: 'in_use' | 'reused' };

interface Claim {
  readonly applicationId: string;
  readonly key: string;
  /** Tells one attempt from the next: a later claim of the same key always has a later time. */
  readonly lockedUntil: Date;
}

const keptMilliseconds = 24 * 3_600_000;

/** Longer than any transaction may take; after it, the process that made a claim counts as dead. */
const claimMilliseconds = 60_000;

/**
 * Runs a request once for each key of an application, whatever the number of repetitions, processes and crashes.
 * The answer is stored in the transaction of the work itself, so that there is never one without the other.
 * A request that fails frees its key.
 */
export async function answerOnce(
  database: Database,
  request: Repeatable & { readonly applicationId: string; readonly at: Date },
  run: (tx: Prisma.TransactionClient) => Promise<StoredAnswer>,
): Promise<RepeatableOutcome> {
  const { applicationId, key, operation, at } = request;
  const fingerprint = fingerprintOf(request);
  const claim: Claim = { applicationId, key, lockedUntil: new Date(at.getTime() + claimMilliseconds) };
  if (!(await makeClaim(database, claim, { operation, fingerprint, at }))) {
    return readEarlier(database, claim, fingerprint);
  }
  try {
    const answer = await database.prisma.$transaction(async (tx) => {
      const made = await run(tx);
      await settleClaim(tx, claim, made);
      return made;
    });
    return { kind: 'answered', answer };
  } catch (error) {
    if (error instanceof ClaimLost) return { kind: 'in_use' };
    // When this fails as well, the claim ends by itself.
    await database.prisma.idempotencyKey.deleteMany({ where: { ...claim, status: null } }).catch(() => {});
    throw error;
  }
}

class ClaimLost extends Error {}

/** Takes a key that is new, expired, or was left behind by a request of the same kind that never ended. */
async function makeClaim(
  { prisma }: Database,
  { applicationId, key, lockedUntil }: Claim,
  { operation, fingerprint, at }: { operation: string; fingerprint: Uint8Array; at: Date },
): Promise<boolean> {
  const expiresAt = new Date(at.getTime() + keptMilliseconds);
  const claimed = await prisma.$executeRaw`
    INSERT INTO idempotency_keys AS known
      (application_id, key, operation, fingerprint, created_at, expires_at, locked_until)
    VALUES (${applicationId}, ${key}, ${operation}, ${fingerprint}, ${at}, ${expiresAt}, ${lockedUntil})
    ON CONFLICT (application_id, key) DO UPDATE SET
      operation = excluded.operation, fingerprint = excluded.fingerprint, status = NULL, headers = NULL,
      body = NULL, created_at = excluded.created_at, expires_at = excluded.expires_at,
      locked_until = excluded.locked_until
    WHERE known.expires_at <= ${at}
      OR (known.status IS NULL AND known.locked_until <= ${at} AND known.fingerprint = excluded.fingerprint)`;
  return claimed > 0;
}

/** @throws {ClaimLost} when the claim has ended and somebody else took the key */
async function settleClaim(tx: Prisma.TransactionClient, claim: Claim, answer: StoredAnswer): Promise<void> {
  const { status, headers, body } = answer;
  const { count } = await tx.idempotencyKey.updateMany({
    where: { ...claim, status: null },
    data: { status, headers: { ...headers }, body, lockedUntil: null },
  });
  if (count === 0) throw new ClaimLost();
}

async function readEarlier(
  { prisma }: Database,
  { applicationId, key }: Claim,
  fingerprint: Uint8Array,
): Promise<RepeatableOutcome> {
  const known = await prisma.idempotencyKey.findFirst({ where: { applicationId, key } });
  // It failed and freed its key just now: the sender may try again, as after any that is still running.
  if (known === null) return { kind: 'in_use' };
  if (!Buffer.from(known.fingerprint).equals(fingerprint)) return { kind: 'reused' };
  const { status, headers, body } = known;
  if (status === null || body === null) return { kind: 'in_use' };
  return { kind: 'answered', answer: { status, headers: headers as Record<string, string>, body } };
}

/** The same for payloads that say the same, however their members are ordered. */
function fingerprintOf({ operation, payload }: Repeatable): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify([operation, payload], (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest();
}
