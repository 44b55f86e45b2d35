import { forbidden } from '../../../platform/pages/audience.js';
import { tooMany } from '../../../platform/pages/confirm-password.js';
import { CopyField } from '../../../platform/pages/copyable.js';
import {
  confirmPage,
  formPage,
  ImmediateEffects,
  type Rejection,
  rejected,
} from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { Form, TextField } from '../../../platform/pages/form-parts.js';
import type { PageContext, PageResponse, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { domainRecord, maximumDomains, maximumFailedDays, recordLabel } from '../domain-confirmation.js';
import type { SingleSignOnServices } from '../index.js';
import { domainsPath, removeDomainPath } from './domains-section.js';
import { settingsPath } from './settings-page.js';

const field = 'domain';

/** Pages with which an owner confirms a domain by a record in the DNS, and removes it. */
export function domainPages(
  site: PageRouter,
  { domainConfirmation, domains }: Pick<SingleSignOnServices, 'domainConfirmation' | 'domains'>,
): void {
  formPage<string>(site, domainsPath, {
    recentPassword: ['form', 'changes who can sign in'],
    initial: () => '',
    read: ({ form }) => form.text(field),
    view: async ({ user }, domain) =>
      confirmationView(await domainConfirmation.token(user.accountId), domain),
    save: (context, domain) => confirm(context, domain),
  });

  async function confirm(context: PageContext, input: string): Promise<PageResponse | Rejection<string>> {
    const outcome = await domainConfirmation.confirm(context.auditContext, input, context.disconnected());
    switch (outcome.kind) {
      case 'confirmed':
        return { redirect: withFlash(settingsPath, 'domain_confirmed') };
      case 'forbidden':
        throw forbidden('owners');
      case 'invalid':
        return rejected(field, sentence('The domain', outcome.violation));
      case 'public':
        return rejected(
          field,
          'Anyone can get an e-mail address in this domain. Enter a domain of your own.',
        );
      case 'missing': {
        const { name } = domainRecord(outcome.domain, '');
        const message = `No TXT record with this value was found at ${name}. A new record can take an hour to be visible: try again later.`;
        return rejected(field, message);
      }
      case 'unavailable':
        return rejected(field, 'The name servers of the domain do not respond. Try again later.', 503);
      case 'taken':
        return rejected(field, 'The domain is confirmed for another account. Contact the operator.', 409);
      case 'limit_reached':
        return rejected(field, `An account confirms at most ${maximumDomains} domains by DNS.`);
      case 'rate_limited':
        return rejected(field, tooMany('attempts', outcome.retryAfterSeconds), 429);
    }
  }

  confirmPage(site, removeDomainPath(':domain'), {
    reason: 'changes who can sign in',
    view: async (context) => {
      const domain = context.parameter('domain');
      const stored = await domains.list(context.user.accountId);
      const exists = stored.some((each) => each.domain === domain && each.method === 'dns');
      return exists ? removeView(domain) : { redirect: settingsPath };
    },
    save: async (context) => {
      const removed = await domainConfirmation.remove(context.auditContext, context.parameter('domain'));
      return { redirect: removed ? withFlash(settingsPath, 'domain_removed') : settingsPath };
    },
  });
}

function confirmationView(token: string, domain: string): PageView {
  const record = domainRecord('example.com', token);
  return {
    title: 'Confirm a domain',
    script: 'copy.js',
    body: (
      <>
        <p>A TXT record in the DNS proves that a domain of e-mail addresses belongs to your organization.</p>
        <section>
          <h2>1. Add the record</h2>
          <p>
            Where you manage the DNS of the domain, add a record of the type TXT. Its full name is{' '}
            <code>{recordLabel}</code>, a dot and the domain, such as <code>{record.name}</code>.
          </p>
          <CopyField id="record_name" label="Name (before the domain)" value={recordLabel} />
          <CopyField id="record_value" label="Value" value={record.value} />
          <p id="copied" role="status" class="hint" />
          <p>
            Keep the record. It is checked every day, and after {maximumFailedDays} days without it the domain
            is no longer confirmed; owners and administrators then get a mail.
          </p>
        </section>
        <section>
          <h2>2. Confirm the domain</h2>
          <Form button="Confirm domain" cancel={settingsPath}>
            <TextField
              id={field}
              label="Domain"
              hint="The part of the e-mail addresses after the @, such as example.com. Each subdomain is a domain of its own."
              value={domain}
              autocomplete="off"
              maxLength={253}
            />
          </Form>
        </section>
      </>
    ),
  };
}

function removeView(domain: string) {
  return {
    title: `Remove ${domain}?`,
    button: 'Remove domain',
    cancel: settingsPath,
    body: (
      <div class="warning">
        <ImmediateEffects />
        <ul>
          <li>New users with an address of the domain need an invitation. Existing users are not changed.</li>
          <li>Users no longer find your identity provider with an address of the domain.</li>
          <li>Another account can confirm the domain.</li>
        </ul>
      </div>
    ),
  };
}
