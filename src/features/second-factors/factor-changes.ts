import { SessionEndedError } from '../../platform/accounts/sessions.js';
import { requiresSecondFactor, type SignInStage } from '../../platform/accounts/sign-in-stage.js';
import type { Role, SecondFactorPolicy } from '../../platform/accounts/user.js';
import { type AuditEventType, recordIn, type UserAuditContext } from '../../platform/audit/audit-log.js';
import type { Prisma } from '../../platform/database/client.js';
import {
  lockEnabledUser,
  recordSignIn,
  type SecondFactorMethod,
  storeSecondFactor,
} from './complete-sign-in.js';
import { deleteRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.js';

/** The session in which a user adds a factor. */
export interface FactorSession {
  readonly sessionId: string;
  readonly stage: SignInStage;
}

/** A factor was added. */
export interface FactorAddition {
  /** New codes with the first factor; `null` otherwise. */
  readonly recoveryCodes: string[] | null;
  /** The id of the session from now on. */
  readonly sessionId: string;
}

export type FactorRemoval =
  | { readonly kind: 'removed' }
  | { readonly kind: 'not_found' }
  /** It is the last factor, and the account requires one. */
  | { readonly kind: 'required' };

/**
 * Adds a factor in the transaction of the caller. The session counts as one with a second factor from now on, and a sign-in
 * that waited for the factor is complete. Recovery codes that the user created without a factor are replaced, because they
 * may be forgotten.
 *
 * @param insert stores the factor
 * @throws {SessionEndedError}
 */
export async function addFactor(
  tx: Prisma.TransactionClient,
  context: UserAuditContext,
  {
    session: { sessionId, stage },
    method,
    event,
    insert,
  }: {
    session: FactorSession;
    method: SecondFactorMethod;
    event: { type: AuditEventType; details?: Record<string, string> };
    insert: () => Promise<unknown>;
  },
): Promise<FactorAddition> {
  const { accountId, userId, origin, at } = context;
  if (!(await lockEnabledUser(tx, context))) throw new SessionEndedError();
  const isFirst = (await countFactors(tx, context)) === 0;
  await insert();
  const recoveryCodes = isFirst ? await replaceRecoveryCodes(tx, { accountId, userId }) : null;
  const newId = await storeSecondFactor(tx, context, sessionId);
  if (newId === null) throw new SessionEndedError();
  await recordIn(tx, { ...event, accountId, userId, origin }, at);
  if (stage === 'enrolment') await recordSignIn(tx, context, method);
  return { recoveryCodes, sessionId: newId };
}

/**
 * Removes a factor in the transaction of the caller. With the last one the recovery codes are deleted.
 *
 * @param remove deletes the factor and returns the details of the event; `null` when there is none
 */
export async function removeFactor(
  tx: Prisma.TransactionClient,
  context: UserAuditContext,
  { type, remove }: { type: AuditEventType; remove: () => Promise<Record<string, string> | null> },
): Promise<FactorRemoval> {
  const { accountId, userId, origin, at } = context;
  if (!(await lockEnabledUser(tx, context))) return { kind: 'not_found' };
  const before = await countFactors(tx, context);
  if (before === 1 && (await isRequired(tx, context))) return { kind: 'required' };
  const details = await remove();
  if (details === null) return { kind: 'not_found' };
  // With single sign-on only, the codes of owners replace the identity provider when it fails.
  const only = await tx.identityProvider.count({ where: { accountId, onlySingleSignOn: true } });
  if (before === 1 && only === 0) await deleteRecoveryCodes(tx, { accountId, userId });
  await recordIn(tx, { type, accountId, userId, origin, details }, at);
  return { kind: 'removed' };
}

async function countFactors(
  tx: Prisma.TransactionClient,
  { accountId, userId }: UserAuditContext,
): Promise<number> {
  const apps = await tx.totpFactor.count({ where: { accountId, userId } });
  return apps + (await tx.passkey.count({ where: { accountId, userId } }));
}

async function isRequired(
  tx: Prisma.TransactionClient,
  { accountId, userId }: UserAuditContext,
): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ role: Role; policy: SecondFactorPolicy }[]>`
    SELECT users.role, accounts.second_factor_policy AS policy
    FROM users JOIN accounts ON accounts.id = users.account_id
    WHERE users.account_id = ${accountId} AND users.id = ${userId}`;
  return row !== undefined && requiresSecondFactor(row.policy, row.role);
}
