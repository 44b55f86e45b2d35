import type { Prisma } from '../database/client.js';
import { violatedUniqueConstraint } from '../database/database-errors.js';
import { randomId } from '../database/ids.js';
import type { AccountId } from './account-id.js';
import { recordIn } from './audit-log.js';
import { normalizeEmail } from './normalize.js';
import { hashPassword } from './passwords.js';
import type { Role } from './user.js';
import { emailRule, passwordRule, personNameRule } from './user-rules.js';

/** A person who is to be able to sign in. */
export interface NewUser {
  readonly email: string;
  readonly role: Role;
  readonly givenName: string;
  readonly familyName: string;
  readonly password: string;
}

/** The user cannot be made; the message is one line that says why and repeats no password. */
export class NewUserError extends Error {
  override readonly name = 'NewUserError';
}

/**
 * The hash of a new user's password. It takes long on purpose: call it before a transaction begins.
 *
 * @throws {NewUserError} when a rule is broken
 */
export async function checkAndHash({ email, givenName, familyName, password }: NewUser): Promise<string> {
  const errors = [
    ['The e-mail address', emailRule(email)],
    ['The given name', personNameRule(givenName)],
    ['The family name', personNameRule(familyName)],
    ['The password', passwordRule(password)],
  ].filter(([, error]) => error !== undefined);
  if (errors.length > 0) throw new NewUserError(errors.map((error) => error.join(' ')).join('; '));
  return hashPassword(password);
}

/** Adds a user in the transaction of the caller, and returns the id. */
export async function insertUser(
  tx: Prisma.TransactionClient,
  accountId: AccountId,
  { user, passwordHash, at }: { user: NewUser; passwordHash: string; at: Date },
): Promise<string> {
  const id = randomId();
  const { role, givenName, familyName } = user;
  const email = normalizeEmail(user.email);
  const dates = { createdAt: at, updatedAt: at };
  await tx.user.create({
    data: { id, accountId, email, role, givenName, familyName, passwordHash, ...dates },
  });
  await recordIn(tx, { type: 'user.created', accountId, details: { user: id, email, role } }, at);
  return id;
}

/** Turns the violation that a taken e-mail address causes into words. */
export function explainViolation(error: unknown, { email }: Pick<NewUser, 'email'>): never {
  if (violatedUniqueConstraint(error) !== 'users_email_key') throw error;
  throw new NewUserError(`A user with the e-mail address ${email} exists already`);
}
