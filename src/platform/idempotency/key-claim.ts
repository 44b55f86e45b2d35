import type { Prisma } from '../database/client.js';
import { isLockTimeout } from '../database/database-errors.js';
import {
  fingerprintOf,
  type IdempotentRequest,
  KeyInUseError,
  type StoredResponse,
} from './idempotent-request.js';

/** The result of claiming a key. */
export type Claim =
  /** The key belongs to this transaction. `expired`: the row of an expired key was reused. */
  | { readonly kind: 'new' | 'expired' }
  | { readonly kind: 'completed'; readonly response: StoredResponse }
  /** The key belongs to a request with another payload. */
  | { readonly kind: 'reused' };

/** Retention of a key, in milliseconds. */
export const retentionMs = 24 * 3_600_000;

/** Milliseconds after which PostgreSQL aborts an idle transaction. A host that fails does not close its connections. */
const idleTimeoutMs = 15_000;

/**
 * Claims a key until the transaction ends. The claim is an uncommitted row: another transaction that claims the key waits
 * on the unique index. When the process is killed, PostgreSQL aborts the transaction and the key is free.
 *
 * @param waitMs maximum time to wait for another transaction that has claimed the key, in milliseconds
 * @throws {KeyInUseError} when the other transaction does not end in time
 */
export async function claimKey(
  tx: Prisma.TransactionClient,
  request: IdempotentRequest,
  waitMs: number,
): Promise<Claim> {
  const lockTimeout = `${Math.max(1, Math.ceil(waitMs))}ms`;
  await tx.$queryRaw`
    SELECT set_config('lock_timeout', ${lockTimeout}, true),
      set_config('idle_in_transaction_session_timeout', ${`${idleTimeoutMs}ms`}, true)`;
  const claim = await insertOrRead(tx, request).catch((error: unknown) => {
    throw isLockTimeout(error) ? new KeyInUseError() : error;
  });
  // The limit is for the key only, not for the locks of the work.
  await tx.$executeRaw`SET LOCAL lock_timeout TO DEFAULT`;
  return claim;
}

/** Stores the response of the request that has claimed the key. */
export async function storeResponse(
  tx: Prisma.TransactionClient,
  request: IdempotentRequest,
  { status, headers, body }: StoredResponse,
): Promise<void> {
  await tx.idempotencyKey.updateMany({
    where: identity(request),
    data: { status, headers: { ...headers }, body },
  });
}

async function insertOrRead(tx: Prisma.TransactionClient, request: IdempotentRequest): Promise<Claim> {
  const row = newRow(request);
  const inserted = await tx.idempotencyKey.createMany({ data: [row], skipDuplicates: true });
  if (inserted.count > 0) return { kind: 'new' };
  const stored = await readUnexpired(tx, request, row.fingerprint);
  if (stored !== null) return stored;
  const renewed = await tx.idempotencyKey.updateMany({
    where: { ...identity(request), expiresAt: { lte: request.at } },
    data: { ...row, status: null, body: null },
  });
  if (renewed.count > 0) return { kind: 'expired' };
  // Another transaction has renewed or deleted the expired row.
  const renewedByOther = await readUnexpired(tx, request, row.fingerprint);
  if (renewedByOther === null) throw new KeyInUseError();
  return renewedByOther;
}

/** Reads a stored key; `null` when there is none or it has expired. */
async function readUnexpired(
  tx: Prisma.TransactionClient,
  request: IdempotentRequest,
  fingerprint: Uint8Array,
): Promise<Claim | null> {
  const stored = await tx.idempotencyKey.findUnique({
    where: { accountId_applicationId_userId_key: identity(request) },
  });
  if (stored === null || stored.expiresAt <= request.at) return null;
  if (!Buffer.from(stored.fingerprint).equals(fingerprint)) return { kind: 'reused' };
  const { status, headers, body } = stored;
  if (status === null || body === null) {
    throw new Error('An idempotency key was committed without a response');
  }
  return { kind: 'completed', response: { status, headers: headers as Record<string, string>, body } };
}

function newRow(request: IdempotentRequest) {
  const { operation, at } = request;
  return {
    ...identity(request),
    operation,
    fingerprint: fingerprintOf(request),
    createdAt: at,
    expiresAt: new Date(at.getTime() + retentionMs),
  };
}

function identity({ accountId, applicationId, userId, key }: IdempotentRequest) {
  return { accountId, applicationId, userId: userId ?? '', key };
}
