import { toAccountId } from '../../platform/accounts/account-id.js';
import { administratorRoles } from '../../platform/accounts/user.js';
import { change } from '../../platform/changes/change.js';
import { lock } from '../../platform/changes/locks.js';
import { dayMilliseconds, hourMilliseconds } from '../../platform/clock.js';
import type { Core } from '../../platform/core.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { ConcurrencyLimit } from '../../platform/limits/concurrency-limit.js';
import { BackgroundMail, type MailText } from '../../platform/mail/mailer.js';
import { notifyRoles } from '../../platform/mail/notify-roles.js';
import { findTxtRecord } from '../../platform/network/txt-records.js';
import { settings } from '../../platform/pages/paths.js';
import { domainRecord, maximumFailedDays } from './domain-confirmation.js';

/** Time between two looks for domains to check. */
export const domainPollMilliseconds = 600_000;

/** Time after which a check is repeated whose name servers did not respond, or whose process stopped. */
const retryMilliseconds = hourMilliseconds;

/** Domains that are claimed at a time. */
const batchSize = 100;

/** Look-ups at a time. Each takes five seconds at most. */
const concurrentLookups = 10;

interface DueDomain {
  readonly domain: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly token: string;
  readonly failedDays: number;
}

type Dependencies = Pick<Core, 'database' | 'clock' | 'delivery' | 'resolveTxt'> & {
  readonly logger: Pick<Core['logger'], 'warn'>;
};

/**
 * Checks once a day whether the record of each domain that was confirmed by DNS still exists. When it was missing on seven days
 * in a row, the domain is removed and the owners and administrators get a mail. Name servers that do not respond count neither
 * way: the DNS of this server may be disturbed, and without an answer no other holder of the domain is known.
 */
export class DomainChecks {
  readonly #dependencies: Dependencies;
  readonly #slots = new ConcurrencyLimit(concurrentLookups);
  readonly #mail: BackgroundMail;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#mail = new BackgroundMail(dependencies.logger);
  }

  /**
   * Checks all domains that are due. Several processes can run it at the same time.
   *
   * @param signal stops it after the look-ups that are in progress, which it aborts
   */
  async run(signal: AbortSignal): Promise<void> {
    for (;;) {
      const claimedUntil = new Date(this.#dependencies.clock().getTime() + retryMilliseconds);
      const due = signal.aborted ? [] : await this.#claim(claimedUntil);
      if (due.length === 0) return;
      const checks = due.map((each) =>
        this.#slots.run('', {}, async () => {
          if (signal.aborted) return;
          // The checks of other domains continue.
          await this.#check(each, claimedUntil, signal).catch((err) =>
            this.#dependencies.logger.warn({ err, domain: each.domain }, 'a domain was not checked'),
          );
        }),
      );
      await Promise.all(checks);
    }
  }

  /** Claims domains of all accounts that are due: the first of each account before the second of any. */
  #claim(claimedUntil: Date): Promise<DueDomain[]> {
    const { database, clock } = this.#dependencies;
    const now = clock();
    return withScope(
      allAccounts,
      () => database.prisma.$queryRaw<DueDomain[]>`
        WITH due AS (
          SELECT domain FROM (
            SELECT domain, next_check_at,
              row_number() OVER (PARTITION BY account_id ORDER BY next_check_at, domain) AS turn
            FROM account_domains WHERE next_check_at <= ${now}
          ) ranked ORDER BY turn, next_check_at, domain LIMIT ${batchSize}
        ), claimed AS MATERIALIZED (
          SELECT domain FROM account_domains WHERE domain IN (SELECT domain FROM due) AND next_check_at <= ${now}
          FOR UPDATE SKIP LOCKED
        )
        UPDATE account_domains stored SET next_check_at = ${claimedUntil}
        FROM claimed, accounts WHERE stored.domain = claimed.domain AND accounts.id = stored.account_id
        RETURNING stored.domain, stored.account_id AS "accountId", accounts.name AS "accountName",
          accounts.domain_token AS token, stored.failed_days AS "failedDays"`,
    );
  }

  async #check(due: DueDomain, claimedUntil: Date, signal: AbortSignal): Promise<void> {
    const { database, clock, resolveTxt } = this.#dependencies;
    const { domain, token } = due;
    const outcome = await findTxtRecord(resolveTxt, domainRecord(domain, token), signal);
    if (outcome === 'unavailable') return;
    const accountId = toAccountId(due.accountId);
    const at = clock();
    const failedDays = outcome === 'found' ? 0 : due.failedDays + 1;
    // Not when an owner has confirmed or removed it meanwhile.
    const where = { domain, accountId, nextCheckAt: claimedUntil };
    const isLost = failedDays >= maximumFailedDays;
    const removed = await change(database.prisma, { accountId, at }, lock.nothing, async (unit) => {
      if (!isLost) {
        const data = { failedDays, nextCheckAt: new Date(at.getTime() + dayMilliseconds) };
        await unit.tx.accountDomain.updateMany({ where, data });
        return false;
      }
      const { count } = await unit.tx.accountDomain.deleteMany({ where });
      if (count === 0) return false;
      await unit.record('account.domain_removed', { domain, method: 'dns', reason: 'record_missing' });
      return true;
    });
    if (removed) this.#mail.add(() => this.#notify(due));
  }

  async #notify({ accountId, accountName, domain }: DueDomain): Promise<void> {
    const { database, delivery } = this.#dependencies;
    await notifyRoles(database, delivery, {
      roles: administratorRoles,
      cause: 'lost_domain',
      subjects: { account: accountId },
      mail: lostDomainMail(domain, accountName, delivery.addressOf(settings.singleSignOn)),
    });
  }
}

function lostDomainMail(domain: string, accountName: string, url: string): MailText {
  return {
    subject: `${domain} is no longer confirmed`,
    before: [
      `The DNS record that confirms ${domain} for ${accountName} was missing for ${maximumFailedDays} days. The domain is no longer confirmed.`,
      'At the first sign-in with single sign-on, users with an address of the domain now need an invitation. Existing users are not changed.',
    ],
    link: { label: 'Settings, Single sign-on', url },
    after: ['To confirm the domain again, an owner adds the record and confirms the domain there.'],
  };
}
