import type { Unit } from '../changes/change.js';
import type { Database } from '../database/client.js';
import { violatedUniqueConstraint } from '../database/database-errors.js';
import { randomId } from '../database/ids.js';
import { allAccounts, withScope } from '../database/scope.js';
import { ruleText } from '../problems/rule-texts.js';
import type { AccountId } from './account-id.js';
import { personNameRule } from './name-rules.js';
import { domainOf, normalizeEmail } from './normalize.js';
import { hashPassword } from './passwords.js';
import type { Role } from './user.js';
import { emailRule, passwordError } from './user-rules.js';

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
 * Whether the domain of an address is confirmed for another account, which alone may invite and create users with it.
 * Not for use in a transaction: the scope of an account has only its own domains.
 */
export async function isForeignDomain(
  { prisma }: Pick<Database, 'prisma'>,
  accountId: AccountId,
  email: string,
): Promise<boolean> {
  const where = { domain: domainOf(email), accountId: { not: accountId } };
  return (await withScope(allAccounts, () => prisma.accountDomain.count({ where }))) > 0;
}

/**
 * Validates a new user of an account and hashes the password. Hashing is slow, so call it outside of a transaction.
 *
 * @throws {NewUserError} when a value is invalid, or the domain of the address is confirmed for another account
 */
export async function checkAndHash(
  database: Pick<Database, 'prisma'>,
  accountId: AccountId,
  { email, givenName, familyName, password }: NewUser,
): Promise<string> {
  const checked = [
    ['The e-mail address', emailRule(email)],
    ['The first name', personNameRule(givenName)],
    ['The last name', personNameRule(familyName)],
    ['The password', await passwordError(password)],
  ] as const;
  const errors = checked.flatMap(([subject, error]) =>
    error === undefined ? [] : `${subject} ${ruleText(error)}`,
  );
  if (errors.length > 0) throw new NewUserError(errors.join('; '));
  if (await isForeignDomain(database, accountId, email))
    throw new NewUserError(`The domain of ${email} is confirmed for another account`);
  return hashPassword(password);
}

/** A user to insert, with the hash of the password. */
interface UserInsertion {
  readonly user: Omit<NewUser, 'password'>;
  /** `null`: the user signs in by single sign-on. */
  readonly passwordHash: string | null;
  /** Whether the user has proved to receive mail at the address. Default: false. */
  readonly emailVerified?: boolean;
}

/** Inserts a user and its audit event. Returns the id. */
export async function insertUser(
  unit: Unit,
  { user, passwordHash, emailVerified = false }: UserInsertion,
): Promise<string> {
  const { accountId, origin, at } = unit.context;
  const id = randomId();
  const { role, givenName, familyName } = user;
  const email = normalizeEmail(user.email);
  const dates = { createdAt: at, updatedAt: at };
  await unit.tx.user.create({
    data: { id, accountId, email, emailVerified, role, givenName, familyName, passwordHash, ...dates },
  });
  // An invited user creates the user in the browser.
  const userId = origin && id;
  const details = { user: id, email, role, ...(passwordHash === null && { method: 'single_sign_on' }) };
  await unit.record('user.created', details, { userId });
  return id;
}

/** For `catch`: maps the violation of the unique e-mail address of users to an outcome. Throws other errors unchanged. */
export function ifEmailTaken<const Outcome>(outcome: Outcome): (error: unknown) => Outcome {
  return (error) => {
    if (violatedUniqueConstraint(error) === 'users_email_key') return outcome;
    throw error;
  };
}

/**
 * Maps the violation of the unique e-mail address to a {@link NewUserError}. Throws other errors unchanged.
 *
 * @throws {NewUserError}
 */
export function explainViolation(error: unknown, { email }: Pick<NewUser, 'email'>): never {
  ifEmailTaken(null)(error);
  throw new NewUserError(`A user with the e-mail address ${email} already exists`);
}
