import type { AccountId } from '../../platform/accounts/account-id.js';
import type { UserAuditContext } from '../../platform/audit/audit-log.js';
import { change } from '../../platform/changes/change.js';
import { lock, lockAccount } from '../../platform/changes/locks.js';
import { dayMilliseconds } from '../../platform/clock.js';
import { asciiDomain } from '../../platform/contract/outside-text.js';
import type { Core } from '../../platform/core.js';
import { ConcurrencyLimit } from '../../platform/limits/concurrency-limit.js';
import { findTxtRecord } from '../../platform/network/txt-records.js';
import { retryLater } from '../../platform/problems/problem.js';
import { type Violation, violation } from '../../platform/problems/rule-texts.js';
import { domainRule } from './account-domains.js';
import { isPublicMailDomain } from './public-mail-domains.js';

/** Maximum number of domains that an account confirms by DNS. */
export const maximumDomains = 20;

/** Days in a row on which the record is missing, after which the domain is no longer confirmed. */
export const maximumFailedDays = 7;

/** Look-ups of an account at a time. */
const lookupsPerAccount = 2;

/** Seconds for which further look-ups are queued. */
const queueSeconds = 10;

/** The label before the domain. Other labels are often for anyone who may create a host name. */
export const recordLabel = '_people-challenge';

/** The TXT record that proves that a domain belongs to an account. */
export function domainRecord(domain: string, token: string): { name: string; value: string } {
  return { name: `${recordLabel}.${domain}`, value: `people-verification=${token}` };
}

type ConfirmationOutcome =
  | { readonly kind: 'confirmed'; readonly domain: string }
  | { readonly kind: 'invalid'; readonly violation: Violation }
  /** Anyone can get an address in it. */
  | { readonly kind: 'public' }
  /** The record is missing, or its servers do not respond. */
  | { readonly kind: 'missing' | 'unavailable'; readonly domain: string }
  /** The domain belongs to another account. */
  | { readonly kind: 'taken' }
  | { readonly kind: 'limit_reached' }
  | { readonly kind: 'rate_limited'; readonly retryAfterSeconds: number }
  /** The user is no longer an owner. */
  | { readonly kind: 'forbidden' };

/** Confirmation of domains by a record in the DNS. Only owners confirm and remove domains. */
export class DomainConfirmation {
  readonly #core: Core;
  readonly #slots = new ConcurrencyLimit(lookupsPerAccount);

  constructor(core: Core) {
    this.#core = core;
  }

  /** The random text that the record of each domain of an account has. */
  async token(accountId: AccountId): Promise<string> {
    const { domainToken } = await this.#core.database.prisma.account.findUniqueOrThrow({
      where: { id: accountId },
      select: { domainToken: true },
    });
    return domainToken;
  }

  /**
   * Confirms a domain whose record has the token of the account. That another account has the domain is said only after that, so
   * that it does not reveal who the customers are.
   *
   * @param input domain, also in Unicode form
   * @param signal aborts when the client disconnects
   * @throws {Problem} 429 `rate_limit_exceeded` when other look-ups of the account take too long
   */
  async confirm(context: UserAuditContext, input: string, signal: AbortSignal): Promise<ConfirmationOutcome> {
    const { accountId, origin } = context;
    const { failureLimit, resolveTxt } = this.#core;
    const domain = asciiDomain(input.toLowerCase());
    const wrong = domain === '' ? violation('domain') : domainRule(domain);
    if (wrong !== undefined) return { kind: 'invalid', violation: wrong };
    if (isPublicMailDomain(domain)) return { kind: 'public' };
    const token = await this.token(accountId);
    const attempt = { by: 'domain confirmation', address: origin.address, of: `domains of ${accountId}` };
    const limit = await failureLimit.count(attempt);
    if (limit !== null) return { kind: 'rate_limited', retryAfterSeconds: limit.retryAfterSeconds };
    const detail = `An account has a limit of ${lookupsPerAccount} concurrent look-ups of domains.`;
    const rejection = () => retryLater('rate_limit_exceeded', detail, queueSeconds);
    const outcome = await this.#slots.run(accountId, { signal, waitMs: queueSeconds * 1000, rejection }, () =>
      findTxtRecord(resolveTxt, domainRecord(domain, token), signal),
    );
    if (outcome !== 'found') return { kind: outcome, domain };
    await failureLimit.removeFailure(attempt);
    return await this.#store(context, domain);
  }

  /** Removes a domain that the account has confirmed by DNS. Returns false when there is none, or the user is no longer an owner. */
  remove(context: UserAuditContext, domain: string): Promise<boolean> {
    const { accountId } = context;
    return change(this.#core.database.prisma, context, lock.role, async (unit, role) => {
      if (role !== 'owner') return false;
      const where = { accountId, domain, method: 'dns' };
      const { count } = await unit.tx.accountDomain.deleteMany({ where });
      if (count > 0) await unit.record('account.domain_removed', { domain, method: 'dns' });
      return count > 0;
    });
  }

  async #store(context: UserAuditContext, domain: string): Promise<ConfirmationOutcome> {
    const { prisma } = this.#core.database;
    const { accountId, at } = context;
    const nextCheckAt = new Date(at.getTime() + dayMilliseconds);
    const outcome = await change(prisma, context, lock.role, async (unit, role) => {
      const { tx } = unit;
      if (role !== 'owner') return 'forbidden';
      // Concurrent confirmations count each other.
      await lockAccount(tx, accountId);
      const own = await tx.accountDomain.findFirst({
        where: { accountId, domain },
        select: { method: true },
      });
      if (own !== null) {
        const where = { accountId, domain, method: 'dns' };
        await tx.accountDomain.updateMany({ where, data: { nextCheckAt, failedDays: 0 } });
        return 'confirmed';
      }
      const count = await tx.accountDomain.count({ where: { accountId, method: 'dns' } });
      if (count >= maximumDomains) return 'limit_reached';
      const inserted = await tx.accountDomain.createMany({
        data: [{ domain, accountId, confirmedAt: at, method: 'dns', nextCheckAt }],
        skipDuplicates: true,
      });
      if (inserted.count === 0) return 'taken';
      await unit.record('account.domain_confirmed', { domain, method: 'dns' });
      return 'confirmed';
    });
    return outcome === 'confirmed' ? { kind: outcome, domain } : { kind: outcome };
  }
}
