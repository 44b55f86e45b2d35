import type { Database } from '../database/client.js';
import { accountScope, allAccounts, withScope } from '../database/scope.js';
import { type AccountId, toAccountId } from './account-id.js';
import { checkAndHash, explainViolation, insertUser, type NewUser } from './new-user.js';
import { normalizeEmail } from './normalize.js';
import { type Role, toUser, type User, type UserRow, userSelection } from './user.js';

/** A user, as a list of them shows it. */
export interface UserSummary {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  /** `null`: the user may sign in. */
  readonly disabledAt: Date | null;
  readonly createdAt: Date;
}

/** A user, as the operator finds it. */
export interface FoundUser {
  readonly id: string;
  readonly email: string;
  readonly accountId: AccountId;
  readonly accountName: string;
}

/** The users of accounts. */
export class Users {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Adds a user to an account.
   *
   * @returns the user's id
   * @throws {NewUserError} when a rule is broken or the e-mail address is taken
   */
  async create(accountId: AccountId, { user, at }: { user: NewUser; at: Date }): Promise<string> {
    const passwordHash = await checkAndHash(user);
    return await this.#prisma
      .$transaction((tx) => insertUser(tx, accountId, { user, passwordHash, at }))
      .catch((error) => explainViolation(error, user));
  }

  /**
   * Reads a page of the account's users, by e-mail address.
   *
   * @param after the e-mail address that the page begins after
   */
  async list(
    accountId: AccountId,
    { after = '', size }: { after?: string; size: number },
  ): Promise<UserSummary[]> {
    const rows = await this.#prisma.user.findMany({
      where: { accountId, email: { gt: after } },
      select: { id: true, email: true, role: true, disabledAt: true, createdAt: true },
      orderBy: { email: 'asc' },
      take: size,
    });
    return rows.map((row) => ({ ...row, role: row.role as Role }));
  }

  /** Finds the user with this e-mail address or id, in any account. It crosses tenants: it is for the operator alone. */
  async find(emailOrId: string): Promise<FoundUser | null> {
    const row = await this.#prisma.user.findFirst({
      // No id has this character, and every address has.
      where: emailOrId.includes('@') ? { email: normalizeEmail(emailOrId) } : { id: emailOrId },
      select: { id: true, email: true, account: { select: { id: true, name: true } } },
    });
    if (row === null) return null;
    const { id, email, account } = row;
    return { id, email, accountId: toAccountId(account.id), accountName: account.name };
  }

  /**
   * Finds the enabled user with this e-mail address, in any case and any Unicode form, and the hash of the password;
   * `null` when there is none.
   */
  async findForSignIn(email: string): Promise<{ user: User; passwordHash: string } | null> {
    const [row] = await withScope(
      allAccounts,
      () => this.#prisma.$queryRaw<(UserRow & { passwordHash: string })[]>`
        SELECT ${userSelection}, users.password_hash AS "passwordHash"
        FROM users JOIN accounts ON accounts.id = users.account_id
        WHERE users.email = ${normalizeEmail(email)} AND users.disabled_at IS NULL`,
    );
    return row === undefined ? null : { user: toUser(row), passwordHash: row.passwordHash };
  }

  /**
   * Replaces the hash of a password by another hash of the same password. Nothing happens when the password was changed
   * meanwhile.
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
