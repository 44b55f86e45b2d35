import type { AccountId } from '../../platform/accounts/account-id.js';
import { domainOf } from '../../platform/accounts/normalize.js';
import { recordIn } from '../../platform/audit/audit-log.js';
import type { Database } from '../../platform/database/client.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';

/** The rule for a domain of e-mail addresses, in ASCII form. */
export function domainRule(domain: string): Violation | undefined {
  const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
  return domain.length <= 253 && new RegExp(`^(?:${label}\\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$`).test(domain)
    ? undefined
    : violation('domain');
}

/** How a domain was confirmed: by the operator, or by a record in the DNS. */
type ConfirmationMethod = 'operator' | 'dns';

/** A confirmed domain of an account. */
export interface AccountDomain {
  readonly domain: string;
  readonly method: ConfirmationMethod;
  /** Days in a row on which the record was missing. */
  readonly failedDays: number;
}

interface DomainOfAccount extends AccountDomain {
  readonly accountId: string;
  readonly accountName: string;
  readonly confirmedAt: Date;
}

/**
 * Domains of e-mail addresses. The operator or a record in the DNS confirms that a domain belongs to the customer of an account:
 * users with such an address may then become members by single sign-on, and no other account can have new users with one.
 */
export class AccountDomains {
  readonly #prisma: Database['prisma'];

  constructor({ prisma }: Pick<Database, 'prisma'>) {
    this.#prisma = prisma;
  }

  /**
   * Confirms a domain for an account. For the operator. A domain that the account has confirmed by DNS is then no longer checked.
   *
   * @returns the account that the domain belongs to afterwards, which may be another one
   */
  confirm(accountId: AccountId, domain: string, at: Date): Promise<{ readonly accountId: string }> {
    return this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.accountDomain.createMany({
        data: [{ domain, accountId, confirmedAt: at }],
        skipDuplicates: true,
      });
      if (count === 0) {
        const data = { method: 'operator', nextCheckAt: null, failedDays: 0 };
        await tx.accountDomain.updateMany({ where: { domain, accountId }, data });
        return await tx.accountDomain.findUniqueOrThrow({ where: { domain } });
      }
      await recordIn(tx, { type: 'account.domain_confirmed', accountId, details: { domain } }, at);
      return { accountId };
    });
  }

  /** Removes a domain of an account. For the operator. Returns false when the account does not have it. */
  remove(accountId: AccountId, domain: string, at: Date): Promise<boolean> {
    return this.#prisma.$transaction(async (tx) => {
      const { count } = await tx.accountDomain.deleteMany({ where: { accountId, domain } });
      if (count === 0) return false;
      await recordIn(tx, { type: 'account.domain_removed', accountId, details: { domain } }, at);
      return true;
    });
  }

  /** Lists the domains of all accounts, for the operator. */
  async listAll(): Promise<DomainOfAccount[]> {
    const rows = await this.#prisma.accountDomain.findMany({
      include: { account: { select: { name: true } } },
      orderBy: { domain: 'asc' },
    });
    return rows.map(({ account, ...row }) => ({
      ...row,
      method: row.method as ConfirmationMethod,
      accountName: account.name,
    }));
  }

  /** Lists the domains of an account. */
  async list(accountId: AccountId): Promise<AccountDomain[]> {
    const rows = await this.#prisma.accountDomain.findMany({
      where: { accountId },
      select: { domain: true, method: true, failedDays: true },
      orderBy: { domain: 'asc' },
    });
    return rows.map((row) => ({ ...row, method: row.method as ConfirmationMethod }));
  }

  /**
   * Finds the account whose users sign in with an identity provider, by the domain of an address. The outcome is the same
   * for each address of a domain, so that it does not reveal which users exist.
   */
  async accountOf(email: string): Promise<AccountId | null> {
    const [row] = await withScope(
      allAccounts,
      () => this.#prisma.$queryRaw<{ accountId: AccountId }[]>`
        SELECT provider.account_id AS "accountId" FROM account_domains confirmed
        JOIN identity_providers provider ON provider.account_id = confirmed.account_id
        WHERE confirmed.domain = ${domainOf(email)}`,
    );
    return row?.accountId ?? null;
  }
}
