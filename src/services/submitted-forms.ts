import { createHash } from 'node:crypto';
import type { Prisma } from '../database/client.js';
import { absoluteSeconds } from './sessions.js';

/** One form as it was shown to one user; sent twice, it is still one. */
export interface ShownForm {
  readonly userId: string;
  /** Random text that the form carries. */
  readonly nonce: string;
}

/**
 * Takes note, in the transaction that carries a form out, that it was. Of the same form sent twice at once, the
 * second waits for the first.
 *
 * @param resultId what the form made
 * @returns `null`, or what the form made when it was carried out before: the caller must change nothing then
 */
export async function claimForm(
  tx: Prisma.TransactionClient,
  form: ShownForm,
  { resultId, at }: { resultId: string; at: Date },
): Promise<string | null> {
  const key = keyOf(form);
  // A form is tied to the session that it was shown in, and no session lives longer.
  const expiresAt = new Date(at.getTime() + absoluteSeconds * 1000);
  const { count } = await tx.submittedForm.createMany({
    data: { key, resultId, expiresAt },
    skipDuplicates: true,
  });
  if (count > 0) return null;
  const { resultId: earlier } = await tx.submittedForm.findUniqueOrThrow({ where: { key } });
  return earlier;
}

/** Takes the note back, in the same transaction: the form was refused, and may be sent again. */
export async function releaseForm(tx: Prisma.TransactionClient, form: ShownForm): Promise<void> {
  await tx.submittedForm.delete({ where: { key: keyOf(form) } });
}

function keyOf({ userId, nonce }: ShownForm): Buffer<ArrayBuffer> {
  return createHash('sha256').update(`${userId} ${nonce}`).digest() as Buffer<ArrayBuffer>;
}
