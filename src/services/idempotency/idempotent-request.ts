import { createHash } from 'node:crypto';
import type { AccountId } from '../account-id.js';

/** A request that a client may repeat with the same key. */
export interface IdempotentRequest {
  readonly accountId: AccountId;
  readonly applicationId: string;
  /** `null`: the application acts for itself. */
  readonly userId: string | null;
  readonly key: string;
  readonly operation: string;
  readonly payload: unknown;
  readonly at: Date;
}

/** A response as it was first sent, byte for byte. */
export interface StoredResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A request with this key is still running. */
export class KeyInUseError extends Error {
  override readonly name = 'KeyInUseError';
}

/** The application has as many idempotency keys as it may have. */
export class TooManyKeysError extends Error {
  override readonly name = 'TooManyKeysError';
}

/** A hash of the operation and its payload. The order of the members of an object makes no difference. */
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
