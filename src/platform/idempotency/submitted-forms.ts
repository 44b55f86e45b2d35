import { createHash } from 'node:crypto';
import { absoluteSeconds } from '../accounts/sessions.js';
import type { UserAuditContext } from '../audit/audit-log.js';
import { secondsAfter } from '../clock.js';
import type { Prisma } from '../database/client.js';

/** The change that a form makes, by the user who submits it. */
interface SubmittedChange {
  readonly tx: Prisma.TransactionClient;
  readonly context: Pick<UserAuditContext, 'userId' | 'at'>;
}

/**
 * Marks a form as submitted, in the change that the submission makes. A concurrent submission of the same form waits.
 *
 * @param nonce random text in a hidden field of the form, which was rendered for the user. A repeated submission has the same.
 * @param resultId id of the row that the submission creates
 * @returns `null` for the first submission; otherwise the `resultId` of the first one, and the caller must change nothing
 */
export async function consumeNonce(
  { tx, context: { userId, at } }: SubmittedChange,
  nonce: string,
  resultId: string,
): Promise<string | null> {
  const key = keyOf(userId, nonce);
  // A form is valid for one session, and no session lives longer.
  const expiresAt = secondsAfter(at, absoluteSeconds);
  const { count } = await tx.submittedForm.createMany({
    data: { key, resultId, expiresAt },
    skipDuplicates: true,
  });
  if (count > 0) return null;
  const { resultId: previous } = await tx.submittedForm.findUniqueOrThrow({ where: { key } });
  return previous;
}

/** Marks a form as not submitted, in the same change: the submission was rejected and may be repeated. */
export async function restoreNonce({ tx, context }: SubmittedChange, nonce: string): Promise<void> {
  await tx.submittedForm.delete({ where: { key: keyOf(context.userId, nonce) } });
}

function keyOf(userId: string, nonce: string): Buffer<ArrayBuffer> {
  return createHash('sha256').update(`${userId} ${nonce}`).digest() as Buffer<ArrayBuffer>;
}
