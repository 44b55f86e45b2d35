import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import type { Unit } from '../../platform/changes/change.js';
import { dayMilliseconds } from '../../platform/clock.js';
import { newOpaqueToken } from '../../platform/crypto/keyring.js';

/** Days before the expiry of a secret at which the owners and administrators get a reminder. */
export const reminderDays = { first: 30, last: 7 } as const;

/** Maximum years until a secret expires. */
export const maximumExpiryYears = 10;

/** Whether a secret is rejected at a time, because it has expired. */
export function isExpired({ expiresAt }: { readonly expiresAt: Date | null }, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/**
 * Creates a client secret. Its value is shown once and not stored.
 *
 * @returns `stored`: the hash, and the last four characters, by which users recognize the secret; the others still carry 235 bits
 */
export function newClientSecret() {
  const { value, hash } = newOpaqueToken();
  return { value, stored: { secretHash: hash, lastCharacters: value.slice(-4) } };
}

type NewSecret = ReturnType<typeof newClientSecret>['stored'] & {
  readonly id: string;
  /** Time from which on the secret is rejected; `null`: it never expires. */
  readonly expiresAt: Date | null;
};

/** Stores a new secret of the application of the context, with the time of its first reminder. */
export async function storeSecret(
  { tx, context: { accountId, applicationId, at } }: Unit<UserAuditContext & { applicationId: string }>,
  { expiresAt, ...secret }: NewSecret,
): Promise<void> {
  const data = { ...secret, accountId, applicationId, createdAt: at, ...expiryColumns(expiresAt, at) };
  await tx.applicationSecret.create({ data });
}

/** Columns of a new secret: its expiry and the first reminder that is after its creation. */
function expiryColumns(expiresAt: Date | null, createdAt: Date) {
  if (expiresAt === null) return { expiresAt, nextReminderAt: null };
  const reminders = [reminderDays.first, reminderDays.last].map(
    (days) => new Date(expiresAt.getTime() - days * dayMilliseconds),
  );
  return { expiresAt, nextReminderAt: reminders.find((reminder) => reminder > createdAt) ?? null };
}

/** Details of the audit event of a new secret. */
export function expiryDetails(expiresAt: Date | null): { expires_at?: string } {
  return expiresAt === null ? {} : { expires_at: expiresAt.toISOString() };
}
