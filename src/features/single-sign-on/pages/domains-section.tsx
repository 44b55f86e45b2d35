import { Badge } from '../../../platform/pages/badge.js';
import { settings } from '../../../platform/pages/paths.js';
import type { AccountDomain } from '../account-domains.js';
import { maximumFailedDays } from '../domain-confirmation.js';

/** Path of the page that confirms a domain. */
export const domainsPath = `${settings.singleSignOn}/domains`;

/** Path of the page that removes a domain. */
export function removeDomainPath(domain: string): string {
  return `${domainsPath}/${domain}/remove`;
}

/** The confirmed domains of an account, in its settings. */
export function DomainsSection({ domains }: { domains: readonly AccountDomain[] }) {
  return (
    <section>
      <h2>Confirmed domains</h2>
      <p>
        Users with an e-mail address of a confirmed domain become members at their first sign-in. Others need
        an invitation. No other account can invite or create users with these addresses.
      </p>
      {domains.length === 0 ? (
        <p>No domain is confirmed for your account.</p>
      ) : (
        <ul>
          {domains.map(({ domain, method, failedDays }) => (
            <li key={domain}>
              <strong>{domain}</strong>, confirmed by {method === 'dns' ? 'DNS' : 'the operator'}
              {failedDays > 0 && (
                <>
                  {' '}
                  <Badge tone="caution">
                    Record missing on {failedDays} of {maximumFailedDays} days
                  </Badge>
                </>
              )}
              {method === 'dns' && (
                <>
                  {' '}
                  <a href={removeDomainPath(domain)}>
                    Remove<span class="unseen"> {domain}</span>
                  </a>
                </>
              )}
            </li>
          ))}
        </ul>
      )}
      <p>
        <a class="button secondary" href={domainsPath}>
          Confirm a domain
        </a>
      </p>
    </section>
  );
}
