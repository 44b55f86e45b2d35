import { type AuthenticationMethod, SessionEndedError } from '../../platform/accounts/sessions.js';
import {
  type Role,
  requiresSecondFactor,
  type SecondFactorPolicy,
  type SignInStage,
} from '../../platform/accounts/user.js';
import type { AuditEventType, UserAuditContext } from '../../platform/audit/audit-log.js';
import { change, type Unit } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { hashSecret, randomSecret } from '../../platform/crypto/keyring.js';
import type { Database, Prisma } from '../../platform/database/client.js';
import { deleteRecoveryCodes, replaceRecoveryCodes } from './recovery-codes.js';

/** The kind of the second factor that a user proved. */
export type SecondFactorMethod = Extract<
  AuthenticationMethod,
  'authenticator app' | 'passkey' | 'recovery code'
>;

/**
 * Stores in a session that its user proved a second factor. With the first one it gets a new id, so that an id that was obtained
 * or fixated before is of no use.
 *
 * @returns the id of the session from now on; `null` when the session was revoked meanwhile
 */
export async function storeSecondFactor(
  { tx, context: { accountId, userId, at } }: Unit<UserAuditContext>,
  sessionId: string,
  method: SecondFactorMethod,
): Promise<string | null> {
  const where = { idHash: hashSecret(sessionId), accountId, userId };
  const session = await tx.session.findFirst({ where });
  const methods = [...new Set([...(session?.methods ?? []), method])];
  if (session?.secondFactorAt) {
    const { count } = await tx.session.updateMany({ where, data: { secondFactorAt: at, methods } });
    return count > 0 ? sessionId : null;
  }
  // Of concurrent transactions one deletes it. The session does not end: applications know it by its `sid`, which stays.
  if (session === null || (await tx.session.deleteMany({ where })).count === 0) return null;
  const id = randomSecret();
  await tx.session.create({ data: { ...session, idHash: hashSecret(id), secondFactorAt: at, methods } });
  return id;
}

/** Records a sign-in that a second factor completed, in a change that has locked the user. */
export async function recordSignIn(unit: Unit<UserAuditContext>, method: SecondFactorMethod): Promise<void> {
  const { accountId, userId, at } = unit.context;
  await unit.tx.$executeRaw`
    UPDATE users SET last_sign_in_at = ${at} WHERE account_id = ${accountId} AND id = ${userId}`;
  await unit.record('sign_in.succeeded', { second_factor: method });
}

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
 * Adds a factor in a change that has locked the user. The session counts as one with a second factor from now on, and a sign-in
 * that waited for the factor is complete. Recovery codes that the user created without a factor are replaced, because they
 * may be forgotten.
 *
 * @param insert stores the factor
 * @throws {SessionEndedError}
 */
export async function addFactor(
  unit: Unit<UserAuditContext>,
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
  const isFirst = (await countFactors(unit)) === 0;
  await insert();
  const recoveryCodes = isFirst ? await replaceRecoveryCodes(unit.tx, unit.context) : null;
  const newId = await storeSecondFactor(unit, sessionId, method);
  if (newId === null) throw new SessionEndedError();
  await unit.record(event.type, event.details);
  if (stage === 'enrolment') await recordSignIn(unit, method);
  return { recoveryCodes, sessionId: newId };
}

/**
 * Removes a factor. With the last one the recovery codes are deleted.
 *
 * @param remove deletes the factor and returns the details of the event; `null` when there is none
 */
export function removeFactor(
  prisma: Database['prisma'],
  context: UserAuditContext,
  {
    type,
    remove,
  }: {
    type: AuditEventType;
    remove: (tx: Prisma.TransactionClient) => Promise<Record<string, string> | null>;
  },
): Promise<FactorRemoval> {
  const { accountId, userId } = context;
  return change(prisma, context, lock.enabledUser(userId), async (unit, user) => {
    if (user === null) return { kind: 'not_found' };
    const before = await countFactors(unit);
    if (before === 1 && (await isRequired(unit))) return { kind: 'required' };
    const details = await remove(unit.tx);
    if (details === null) return { kind: 'not_found' };
    // With single sign-on only, the codes of owners replace the identity provider when it fails.
    const only = await unit.tx.identityProvider.count({ where: { accountId, onlySingleSignOn: true } });
    if (before === 1 && only === 0) await deleteRecoveryCodes(unit.tx, { accountId, userId });
    await unit.record(type, details);
    return { kind: 'removed' };
  });
}

async function countFactors({ tx, context: { accountId, userId } }: Unit<UserAuditContext>): Promise<number> {
  const apps = await tx.totpFactor.count({ where: { accountId, userId } });
  return apps + (await tx.passkey.count({ where: { accountId, userId } }));
}

async function isRequired({ tx, context: { accountId, userId } }: Unit<UserAuditContext>): Promise<boolean> {
  const [row] = await tx.$queryRaw<{ role: Role; policy: SecondFactorPolicy }[]>`
    SELECT users.role, accounts.second_factor_policy AS policy
    FROM users JOIN accounts ON accounts.id = users.account_id
    WHERE users.account_id = ${accountId} AND users.id = ${userId}`;
  return row !== undefined && requiresSecondFactor(row.policy, row.role);
}
