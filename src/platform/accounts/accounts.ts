import { change } from '../changes/change.js';
import { lock } from '../changes/locks.js';
import type { Database } from '../database/client.js';
import { randomAccountId, randomEmployeePrefix } from '../database/ids.js';
import { type AccountId, toAccountId } from './account-id.js';
import { checkAndHash, explainViolation, insertUser, type NewUser } from './new-user.js';

/** An account, as the operator lists it. */
interface AccountSummary {
  readonly id: AccountId;
  readonly name: string;
  readonly createdAt: Date;
  readonly users: number;
  readonly employees: number;
}

/** The accounts, for the operator. Every method reads or writes all accounts. */
export class Accounts {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Database) {
    this.#prisma = prisma;
  }

  /**
   * Creates an account and, if given, its first owner, in one transaction.
   *
   * @throws {NewUserError} when the owner cannot be created
   */
  async create({
    name,
    owner,
    at,
  }: {
    name: string;
    owner?: NewUser | undefined;
    at: Date;
  }): Promise<{ accountId: AccountId; ownerId: string | null }> {
    const accountId = toAccountId(randomAccountId());
    const passwordHash =
      owner === undefined ? '' : await checkAndHash({ prisma: this.#prisma }, accountId, owner);
    const create = change(this.#prisma, { accountId, at }, lock.nothing, async (unit) => {
      await unit.tx.account.create({
        data: {
          id: accountId,
          name,
          employeePrefix: randomEmployeePrefix(),
          createdAt: at,
          historySince: at,
        },
      });
      await unit.record('account.created', { name });
      const ownerId = owner === undefined ? null : await insertUser(unit, { user: owner, passwordHash });
      return { accountId, ownerId };
    });
    return await create.catch((error) => explainViolation(error, { email: owner?.email ?? '' }));
  }

  /** Lists all accounts by name. */
  async list(): Promise<AccountSummary[]> {
    return await this.#prisma.$queryRaw<AccountSummary[]>`
      SELECT accounts.id, accounts.name, accounts.created_at AS "createdAt",
        (SELECT count(*)::int FROM users WHERE users.account_id = accounts.id) AS users,
        COALESCE(employee_total.count, 0) AS employees
      FROM accounts
      LEFT JOIN (SELECT account_id, count FROM employee_counts WHERE level = 4) employee_total
        ON employee_total.account_id = accounts.id
      ORDER BY lower(accounts.name), accounts.id`;
  }

  /** Finds the account with this id or, if there is none, the accounts with this name. */
  async find(idOrName: string): Promise<{ id: AccountId; name: string }[]> {
    const select = { id: true, name: true };
    const byId = await this.#prisma.account.findMany({ where: { id: idOrName }, select });
    const found =
      byId.length > 0 ? byId : await this.#prisma.account.findMany({ where: { name: idOrName }, select });
    return found.map(({ id, name }) => ({ id: toAccountId(id), name }));
  }
}
