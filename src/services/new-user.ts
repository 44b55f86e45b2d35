import type { Prisma } from '../database/client.js';
import { violatedUniqueConstraint } from '../database/database-errors.js';
import { randomId } from '../database/ids.js';
import type { AccountId } from './account-id.js';
import { recordIn } from './audit-log.js';
import { normalizeEmail } from './normalize.js';
import { hashPassword } from './passwords.js';
import type { Role } from './user.js';
import { emailRule, passwordError, personNameRule } from './user-rules.js';

/** A user to create. */
export interface NewUser {
  readonly email: string;
  readonly role: Role;
  readonly givenName: string;
  readonly familyName: string;
  readonly password: string;
}

/** The user cannot be created. The message is one line with the reason and does not contain the password. */
export class NewUserError extends Error {
  override readonly name = 'NewUserError';
}

/**
 * Validates a new user and hashes the password. Hashing is slow, so call it outside of a transaction.
 *
 * @throws {NewUserError} when a value is invalid
 */
export async function checkAndHash({ email, givenName, familyName, password }: NewUser): Promise<string> {
  const errors = [
    ['The e-mail address', emailRule(email)],
    ['The given name', personNameRule(givenName)],
    ['The family name', personNameRule(familyName)],
    ['The password', await passwordError(password)],
  ].filter(([, error]) => error !== undefined);
  if (errors.length > 0) throw new NewUserError(errors.map((error) => error.join(' ')).join('; '));
  return hashPassword(password);
}

/** Inserts a user and its audit event in the transaction of the caller. Returns the id. */
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

/**
 * Maps the violation of the unique e-mail address to a {@link NewUserError}. Throws other errors unchanged.
 *
 * @throws {NewUserError}
 */
export function explainViolation(error: unknown, { email }: Pick<NewUser, 'email'>): never {
  if (violatedUniqueConstraint(error) !== 'users_email_key') throw error;
  throw new NewUserError(`A user with the e-mail address ${email} already exists`);
}
