import { domainOf } from '../accounts/account-domains.js';
import { counted } from '../counted.js';
import type { Prisma } from '../database/client.js';
import { countInWindow, keyFor } from '../limits/counter.js';
import { Problem } from '../problems/problem.js';

/** Mails are counted for an hour, from the first one. */
const windowMilliseconds = 3_600_000;

/**
 * Mails an hour by cause: that a user causes, that an address gets, and that an account causes.
 *
 * Anyone can request a link for a forgotten password, and each user can change own settings. A limit of the account would
 * therefore let one client suppress the mails of all users.
 */
const mailLimits = {
  invitation: { user: 50, recipient: 5, account: 200 },
  password_link: { user: 50, recipient: 5, account: 200 },
  email_change: { user: 5, recipient: 5, account: 200 },
  forgotten_password: { recipient: 3 },
  security_change: { recipient: 20 },
  paused_webhook: { account: 20 },
} as const;

export type MailCause = keyof typeof mailLimits;

/** The user, address and account that a mail is counted for. */
export type MailSubjects<Cause extends MailCause> = Readonly<
  Record<keyof (typeof mailLimits)[Cause], string>
>;

/** An address with the domain in ASCII form: an internationalized domain has several spellings. */
function mailboxOf(email: string): string {
  const domain = domainOf(email);
  return domain === '' ? email : `${email.slice(0, email.lastIndexOf('@'))}@${domain}`;
}

/**
 * Counts a mail for all subjects. In a transaction it is the last statement with locks, and a rejection undoes the counts.
 *
 * @throws {Problem} 429 `rate_limit_exceeded`
 */
export async function countMail<Cause extends MailCause>(
  database: Pick<Prisma.TransactionClient, '$queryRaw'>,
  { cause, subjects, at }: { cause: Cause; subjects: MailSubjects<Cause>; at: Date },
): Promise<void> {
  const limits = new Map<string, number>();
  for (const [subject, limit] of Object.entries<number>(mailLimits[cause])) {
    const id = subjects[subject as keyof MailSubjects<Cause>];
    const key = subject === 'recipient' ? mailboxOf(id) : id;
    limits.set(keyFor(`mail ${cause} ${subject} ${key}`), limit);
  }
  const counts = await countInWindow(database, [...limits.keys()], { milliseconds: windowMilliseconds, at });
  const exceeded = counts.filter(({ key, points }) => points > (limits.get(key) ?? 0));
  if (exceeded.length === 0) return;
  const until = Math.max(...exceeded.map((count) => count.expire.getTime()));
  const retryAfterSeconds = Math.max(1, Math.ceil((until - at.getTime()) / 1000));
  const minutes = Math.ceil(retryAfterSeconds / 60);
  // The same text for each subject: others may have sent mails to the address.
  throw new Problem(
    'rate_limit_exceeded',
    `Too many mails were sent in the last hour. Try again in ${counted(minutes, 'minute')}.`,
    { retryAfterSeconds },
  );
}
