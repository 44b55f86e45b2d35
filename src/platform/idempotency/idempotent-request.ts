import { createHash } from 'node:crypto';
import type { AccountId } from '../accounts/account-id.js';

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
  readonly body: string;
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
export function fingerprintOf({
  operation,
  payload,
}: Pick<IdempotentRequest, 'operation' | 'payload'>): Uint8Array<ArrayBuffer> {
  const text = JSON.stringify([operation, payload], (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest();
}
