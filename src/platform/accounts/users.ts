import { change } from '../changes/change.js';
import { lock } from '../changes/locks.js';
import type { Database, Prisma } from '../database/client.js';
import { accountScope, allAccounts, withScope } from '../database/scope.js';
import { type AccountId, toAccountId } from './account-id.js';
import { checkAndHash, explainViolation, insertUser, type NewUser } from './new-user.js';
import { normalizeEmail } from './normalize.js';
import { type Role, type User, userName, userSelection } from './user.js';

/** A user in a list. */
export interface UserSummary {
  readonly id: string;
  readonly email: string;
  readonly givenName: string;
  readonly familyName: string;
  readonly role: Role;
  /** `null` for an enabled user. */
  readonly disabledAt: Date | null;
  /** `null` when the user has not signed in. */
  readonly lastSignInAt: Date | null;
  readonly createdAt: Date;
  readonly hasAuthenticatorApp: boolean;
  readonly passkeys: number;
  /** Whether the user is linked with an identity provider. */
  readonly singleSignOn: boolean;
}

const summarySelection = {
  id: true,
  email: true,
  givenName: true,
  familyName: true,
  role: true,
  disabledAt: true,
  lastSignInAt: true,
  createdAt: true,
  totpFactor: { select: { userId: true } },
  _count: { select: { passkeys: true, identities: true } },
} as const satisfies Prisma.UserSelect;

type SummaryRow = Prisma.UserGetPayload<{ select: typeof summarySelection }>;

function toSummary({ totpFactor, _count, role, ...row }: SummaryRow): UserSummary {
  const { passkeys, identities } = _count;
  const signIn = { hasAuthenticatorApp: totpFactor !== null, passkeys, singleSignOn: identities > 0 };
  return { ...row, role: role as Role, ...signIn };
}

/** A user with its account, for the operator. */
interface FoundUser {
  readonly id: string;
  readonly email: string;
  readonly accountId: AccountId;
  readonly accountName: string;
}

interface UserForSignIn {
  readonly user: User;
  /** `null` for a user without a password. */
  readonly passwordHash: string | null;
}

export class Users {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Creates a user in an account.
   *
   * @returns the id of the user
   * @throws {NewUserError} when a value is invalid, or the e-mail address is taken or of a domain of another account
   */
  async create(accountId: AccountId, { user, at }: { user: NewUser; at: Date }): Promise<string> {
    const passwordHash = await checkAndHash({ prisma: this.#prisma }, accountId, user);
    const created = change(this.#prisma, { accountId, at }, lock.nothing, (unit) =>
      insertUser(unit, { user, passwordHash }),
    );
    return await created.catch((error) => explainViolation(error, user));
  }

  /**
   * Lists users of the account by e-mail address.
   *
   * @param after last e-mail address of the previous page
   */
  async list(
    accountId: AccountId,
    { after = '', size }: { after?: string; size: number },
  ): Promise<UserSummary[]> {
    const rows = await this.#prisma.user.findMany({
      where: { accountId, email: { gt: after } },
      select: summarySelection,
      orderBy: { email: 'asc' },
      take: size,
    });
    return rows.map(toSummary);
  }

  /** Names and e-mail addresses of users of the account, by e-mail address. */
  async names(accountId: AccountId, size: number): Promise<{ email: string; name: string }[]> {
    const rows = await this.#prisma.user.findMany({
      where: { accountId },
      select: { email: true, givenName: true, familyName: true },
      orderBy: { email: 'asc' },
      take: size,
    });
    return rows.map((user) => ({ email: user.email, name: userName(user) }));
  }

  /** Finds the id of the user of the account with this e-mail address; `null` when there is none. */
  async findIdByEmail(accountId: AccountId, email: string): Promise<string | null> {
    const where = { accountId, email: normalizeEmail(email) };
    const row = await this.#prisma.user.findFirst({ where, select: { id: true } });
    return row?.id ?? null;
  }

  /** Finds a user of the account; `null` when there is none. */
  async get(accountId: AccountId, id: string): Promise<UserSummary | null> {
    const row = await this.#prisma.user.findFirst({ where: { accountId, id }, select: summarySelection });
    return row === null ? null : toSummary(row);
  }

  /** The hash of the password of an enabled user; `null` when there is no such user. */
  async passwordHashOf({ id, accountId }: Pick<User, 'id' | 'accountId'>): Promise<string | null> {
    const row = await withScope(accountScope(accountId), () =>
      this.#prisma.user.findFirst({
        where: { accountId, id, disabledAt: null },
        select: { passwordHash: true },
      }),
    );
    return row?.passwordHash ?? null;
  }

  /** Finds the user with this e-mail address or id in any account. For the operator only. */
  async find(emailOrId: string): Promise<FoundUser | null> {
    const row = await this.#prisma.user.findFirst({
      // Every e-mail address has an @, and no id has one.
      where: emailOrId.includes('@') ? { email: normalizeEmail(emailOrId) } : { id: emailOrId },
      select: { id: true, email: true, account: { select: { id: true, name: true } } },
    });
    if (row === null) return null;
    const { id, email, account } = row;
    return { id, email, accountId: toAccountId(account.id), accountName: account.name };
  }

  /**
   * Finds the enabled user with this e-mail address, and the hash of the password, which a user whom single sign-on created
   * does not have; `null` when there is none. Case and Unicode form of the address do not matter.
   */
  async findForSignIn(email: string): Promise<UserForSignIn | null> {
    const [row] = await withScope(
      allAccounts,
      () => this.#prisma.$queryRaw<(User & Omit<UserForSignIn, 'user'>)[]>`
        SELECT ${userSelection}, users.password_hash AS "passwordHash"
        FROM users JOIN accounts ON accounts.id = users.account_id
        WHERE users.email = ${normalizeEmail(email)} AND users.disabled_at IS NULL`,
    );
    if (row === undefined) return null;
    const { passwordHash, ...user } = row;
    return { user, passwordHash };
  }

  /** Finds an enabled user who has proved the identity without an e-mail address; `null` when there is none. */
  async findEnabled(accountId: AccountId, id: string): Promise<User | null> {
    const [row] = await withScope(
      accountScope(accountId),
      () => this.#prisma.$queryRaw<User[]>`
        SELECT ${userSelection} FROM users JOIN accounts ON accounts.id = users.account_id
        WHERE users.account_id = ${accountId} AND users.id = ${id} AND users.disabled_at IS NULL`,
    );
    return row ?? null;
  }

  /**
   * Replaces the hash of a password by another hash of the same password. Does nothing when the stored hash is not `from`.
   */
  async replacePasswordHash(
    { id, accountId }: Pick<User, 'id' | 'accountId'>,
    { from, to }: { from: string; to: string },
  ): Promise<void> {
    await withScope(
      accountScope(accountId),
      () => this.#prisma.$executeRaw`
        UPDATE users SET password_hash = ${to}
        WHERE id = ${id} AND account_id = ${accountId} AND password_hash = ${from}`,
    );
  }
}
