import { dayMilliseconds } from '../../platform/clock.js';

/** Days before the expiry of a secret at which the owners and administrators get a reminder. */
export const reminderDays = { first: 30, last: 7 } as const;

/** Maximum years until a secret expires. */
export const maximumExpiryYears = 10;

/** Whether a secret is rejected at a time, because it has expired. */
export function isExpired({ expiresAt }: { readonly expiresAt: Date | null }, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Columns of a new secret: its expiry and the first reminder that is after its creation. */
export function expiryColumns(expiresAt: Date | null, createdAt: Date) {
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
