import { createHash } from 'node:crypto';
import type { AccountId } from '../accounts/account-id.js';
import { dayMilliseconds } from '../clock.js';
import { isObject } from '../contract/outside-text.js';
import { Prisma } from '../database/client.js';
import { isLockTimeout } from '../database/database-errors.js';

/** A request that a client may repeat with the same key. */
export interface IdempotentRequest {
  readonly accountId: AccountId;
  readonly applicationId: string;
  /** `null` when the application acts on its own behalf. */
  readonly userId: string | null;
  readonly key: string;
  readonly operation: string;
  readonly payload: unknown;
  readonly at: Date;
}

/** A response, as it was first sent. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Encrypted by the caller if it contains a secret. */
  readonly body: string;
  /** Id of the record whose secret the body contains. */
  readonly secretOf?: string;
}

/** A request with this key is still running. */
export class KeyInUseError extends Error {
  override readonly name = 'KeyInUseError';
}

/** The application has reached its limit of idempotency keys. */
export class TooManyKeysError extends Error {
  override readonly name = 'TooManyKeysError';
}

/** SHA-256 of the operation and its payload. It does not depend on the order of object members. */
function fingerprintOf({
  operation,
  payload,
}: Pick<IdempotentRequest, 'operation' | 'payload'>): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify([operation, payload], (_, value) =>
    isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value,
  );
  return createHash('sha256').update(text).digest();
}

/**
 * Counts a new key of an application. The count is exact under concurrency, because its row is locked until the transaction
 * ends. Call it last in the transaction, so that the lock is short. Expired keys count until they are deleted.
 *
 * @param maximum maximum number of keys of an application; 0: no limit
 * @throws {TooManyKeysError} when there are more
 */
export async function countKey(
  tx: Prisma.TransactionClient,
  { accountId, applicationId }: Pick<IdempotentRequest, 'accountId' | 'applicationId'>,
  maximum: number,
): Promise<void> {
  const { keys } = await tx.idempotencyCount.upsert({
    where: { accountId_applicationId: { accountId, applicationId } },
    create: { accountId, applicationId, keys: 1 },
    update: { keys: { increment: 1 } },
  });
  if (maximum > 0 && keys > maximum) throw new TooManyKeysError();
}

/**
 * Builds a statement that deletes up to `batchSize` expired keys and decrements the counts of their applications. It
 * returns one row with the number of deleted keys as `count`.
 */
export function deleteExpiredKeys(now: Date, batchSize: number): Prisma.Sql {
  // Counts are locked in the order of their applications, so that processes that prune at the same time do not deadlock.
  return Prisma.sql`
    WITH expired AS MATERIALIZED (
      SELECT account_id, application_id, user_id, key FROM idempotency_keys
      WHERE expires_at < ${now} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED
    ), deleted_keys AS (
      DELETE FROM idempotency_keys stored USING expired
      WHERE stored.account_id = expired.account_id AND stored.application_id = expired.application_id
        AND stored.user_id = expired.user_id AND stored.key = expired.key
      RETURNING stored.account_id, stored.application_id
    ), deleted AS (
      SELECT account_id, application_id, count(*)::int AS keys FROM deleted_keys GROUP BY 1, 2
    ), locked AS MATERIALIZED (
      SELECT account_id, application_id FROM idempotency_key_counts
      WHERE (account_id, application_id) IN (SELECT account_id, application_id FROM deleted)
      ORDER BY account_id, application_id FOR UPDATE
    ), decremented AS (
      UPDATE idempotency_key_counts AS total SET keys = greatest(0, total.keys - deleted.keys)
      FROM deleted JOIN locked USING (account_id, application_id)
      WHERE total.account_id = deleted.account_id AND total.application_id = deleted.application_id
    )
    SELECT count(*)::int AS count FROM deleted_keys`;
}

type Claim =
  /** The key belongs to this transaction. `expired`: the row of an expired key was reused. */
  | { readonly kind: 'new' | 'expired' }
  | { readonly kind: 'completed'; readonly response: StoredResponse }
  /** The key belongs to a request with another payload. */
  | { readonly kind: 'reused' };

/** Retention of a key, in milliseconds. */
export const retentionMs = dayMilliseconds;

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

export async function storeResponse(
  tx: Prisma.TransactionClient,
  request: IdempotentRequest,
  { status, headers, body, secretOf }: StoredResponse,
): Promise<void> {
  await tx.idempotencyKey.updateMany({
    where: identity(request),
    data: { status, headers: { ...headers }, body, secretOf: secretOf ?? null },
  });
}

/**
 * Deletes the stored responses with secrets of a record, which are no longer valid. Their keys expire, so that a request may use
 * them again, and are deleted with the other expired keys.
 *
 * @param createdBefore absent: all responses
 */
export async function deleteResponses(
  tx: Prisma.TransactionClient,
  { accountId, applicationId, at }: Pick<IdempotentRequest, 'accountId' | 'applicationId' | 'at'>,
  { secretOf, createdBefore }: { secretOf: string; createdBefore?: Date },
): Promise<void> {
  await tx.idempotencyKey.updateMany({
    where: {
      ...{ accountId, applicationId, secretOf },
      // A request may hold an expired key while it waits for the record.
      expiresAt: { gt: at },
      ...(createdBefore !== undefined && { createdAt: { lt: createdBefore } }),
    },
    // Processes may have different clocks: a key without a response must have expired for all of them.
    data: { status: null, body: null, secretOf: null, expiresAt: new Date(0) },
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
    data: { ...row, status: null, body: null, secretOf: null },
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
