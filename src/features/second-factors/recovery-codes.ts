import { customAlphabet } from 'nanoid';
import type { AccountId } from '../../platform/accounts/account-id.js';
import { SessionEndedError } from '../../platform/accounts/sessions.js';
import type { User } from '../../platform/accounts/user.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import type { Core } from '../../platform/core.js';
import { hashSecret } from '../../platform/crypto/keyring.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import type { SecurityEmails } from '../../platform/mail/security-emails.js';

/** Number of codes that a user gets. */
const recoveryCodeCount = 10;

/** Crockford's base32: no two characters look alike. 16 characters have 80 bits. */
const newCode = customAlphabet('0123456789abcdefghjkmnpqrstvwxyz', 16);

/** Owner of codes. */
interface CodeOwner {
  readonly accountId: AccountId;
  readonly userId: string;
}

/**
 * Creates new codes in the transaction of the caller, and deletes the earlier ones. The codes cannot be read later.
 *
 * @returns ten codes in groups of four characters
 */
export async function replaceRecoveryCodes(
  tx: Prisma.TransactionClient,
  { accountId, userId }: CodeOwner,
): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () => newCode());
  await deleteRecoveryCodes(tx, { accountId, userId });
  await tx.recoveryCode.createMany({
    data: codes.map((code) => ({ accountId, userId, codeHash: hashSecret(code) })),
  });
  return codes.map((code) => code.replace(/.{4}(?=.)/g, '$&-'));
}

export async function deleteRecoveryCodes(
  tx: Prisma.TransactionClient,
  { accountId, userId }: CodeOwner,
): Promise<void> {
  await tx.recoveryCode.deleteMany({ where: { accountId, userId } });
}

/**
 * Consumes a code in the transaction of the caller. Of concurrent transactions with a code one succeeds. Case, spaces and
 * hyphens are ignored, and similar characters are treated as equal.
 *
 * @returns whether the code was valid
 */
export async function consumeRecoveryCode(
  tx: Prisma.TransactionClient,
  { accountId, userId }: CodeOwner,
  { code, at }: { code: string; at: Date },
): Promise<boolean> {
  const where = { accountId, userId, codeHash: hashSecret(normalizeCode(code)), usedAt: null };
  const { count } = await tx.recoveryCode.updateMany({ where, data: { usedAt: at } });
  return count > 0;
}

function normalizeCode(text: string): string {
  return text.toLowerCase().replaceAll(/[\s-]/g, '').replaceAll('o', '0').replaceAll(/[il]/g, '1');
}

export class RecoveryCodes {
  readonly #prisma: Database['prisma'];
  readonly #securityEmails: SecurityEmails;

  constructor({ database, securityEmails }: Core) {
    this.#prisma = database.prisma;
    this.#securityEmails = securityEmails;
  }

  async countUnused({ id: userId, accountId }: Pick<User, 'id' | 'accountId'>): Promise<number> {
    return await this.#prisma.recoveryCode.count({ where: { accountId, userId, usedAt: null } });
  }

  /**
   * Creates ten recovery codes. Earlier ones no longer work.
   *
   * @throws {SessionEndedError} when the user was disabled meanwhile
   */
  async create(context: UserAuditContext): Promise<string[]> {
    const { userId } = context;
    const codes = await change(this.#prisma, context, lock.enabledUser(userId), async (unit, user) => {
      if (user === null) throw new SessionEndedError();
      await unit.record('recovery_codes.created');
      return await replaceRecoveryCodes(unit.tx, context);
    });
    this.#securityEmails.send(context, userId, 'recovery_codes_created');
    return codes;
  }
}
