import type { ConfirmationOutcome } from '../accounts/reauthentication.js';

/** The status and the message of a response to a password that did not confirm the session. */
export function describeRejection(outcome: Exclude<ConfirmationOutcome, { kind: 'confirmed' }>): {
  status: number;
  message: string;
  retryAfterSeconds?: number;
} {
  if (outcome.kind === 'wrong') return { status: 401, message: 'Incorrect password.' };
  const { retryAfterSeconds, today } = outcome;
  const message = today
    ? `Too many incorrect passwords today. Sign out and sign in again, or try again ${inMinutes(retryAfterSeconds)}.`
    : `Too many failed attempts. Try again in ${retryAfterSeconds} seconds.`;
  return { status: 429, retryAfterSeconds, message };
}

/** For example "in 5 minutes". */
export function inMinutes(seconds: number): string {
  const minutes = Math.ceil(seconds / 60);
  return minutes === 1 ? 'in a minute' : `in ${minutes} minutes`;
}
