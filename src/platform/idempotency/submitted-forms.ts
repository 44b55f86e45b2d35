import { createHash } from 'node:crypto';
import { absoluteSeconds } from '../accounts/sessions.js';
import type { Prisma } from '../database/client.js';

/** Identifies a form that was rendered for a user. A repeated submission has the same values. */
export interface FormNonce {
  readonly userId: string;
  /** Random text in a hidden field of the form. */
  readonly nonce: string;
}

/**
 * Marks a form as submitted, in the transaction of the submission. A concurrent submission of the same form waits.
 *
 * @param options.resultId id of the row that the submission creates
 * @returns `null` for the first submission; otherwise the `resultId` of the first one, and the caller must change nothing
 */
export async function consumeNonce(
  tx: Prisma.TransactionClient,
  form: FormNonce,
  { resultId, at }: { resultId: string; at: Date },
): Promise<string | null> {
  const key = keyOf(form);
  // A form is valid for one session, and no session lives longer.
  const expiresAt = new Date(at.getTime() + absoluteSeconds * 1000);
  const { count } = await tx.submittedForm.createMany({
    data: { key, resultId, expiresAt },
    skipDuplicates: true,
  });
  if (count > 0) return null;
  const { resultId: earlier } = await tx.submittedForm.findUniqueOrThrow({ where: { key } });
  return earlier;
}

/** Marks a form as not submitted, in the same transaction: the submission was rejected and may be repeated. */
export async function restoreNonce(tx: Prisma.TransactionClient, form: FormNonce): Promise<void> {
  await tx.submittedForm.delete({ where: { key: keyOf(form) } });
}

function keyOf({ userId, nonce }: FormNonce): Buffer<ArrayBuffer> {
  return createHash('sha256').update(`${userId} ${nonce}`).digest() as Buffer<ArrayBuffer>;
}
