import { editPage, rejected } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { FieldError, Form, useDescription } from '../../../platform/pages/form-parts.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { type ApplicationPolicy, type Approvals, applicationPolicies } from '../approvals.js';

/** Path of the setting of applications of other accounts. */
export const policyPath = `${settings.applications}/policy`;

const field = 'policy';

/** What each policy means, as the choice of a form. */
const policies: Readonly<Record<ApplicationPolicy, readonly [name: string, description: string]>> = {
  requests: [
    'Users can ask for approval',
    'All users can ask for an application. An owner or administrator approves or declines it.',
  ],
  administrators: [
    'Only owners and administrators',
    'An owner or administrator connects an application first. Other users cannot ask for it.',
  ],
  none: ['None', 'Further applications cannot be approved.'],
};

/** The name of a policy. */
export function policyName(policy: ApplicationPolicy): string {
  return policies[policy][0];
}

interface PolicyForm {
  /** Empty when none was selected. */
  readonly policy: ApplicationPolicy | '';
}

/** The setting who can bring applications of other accounts into the account. */
export function policyPage(site: PageRouter, { approvals }: { readonly approvals: Approvals }): void {
  editPage<PolicyForm, PolicyForm>(site, policyPath, {
    recentPassword: ['form', 'allows applications of other accounts'],
    load: async ({ auditContext }) => ({ policy: await approvals.policy(auditContext.accountId) }),
    toForm: (_, stored) => stored,
    read: ({ form }) => ({ policy: applicationPolicies.find((one) => one === form.text(field)) ?? '' }),
    merged: [
      {
        member: 'policy',
        label: 'Applications of other accounts',
        id: `${field}_requests`,
        show: ({ policy }) => (policy === '' ? 'None selected' : policyName(policy)),
      },
    ],
    view: (_, { form }) => ({ title: 'Applications of other accounts', body: <Policy {...form} /> }),
    save: async ({ auditContext }, { form: { policy } }) => {
      if (policy === '') return rejected(`${field}_requests`, 'Choose one of the options.');
      await approvals.setPolicy(auditContext, policy);
      return { redirect: withFlash(settings.applications, 'application_policy_saved') };
    },
  });
}

function Policy({ policy }: PolicyForm) {
  const first = `${field}_requests`;
  const hint = `${field}-hint`;
  return (
    <Form button="Save changes" cancel={settings.applications}>
      <fieldset {...useDescription(first, hint)}>
        <legend>Who can add applications that your account has not registered</legend>
        <p class="hint" id={hint}>
          Applications that are already approved keep working. Open requests are deleted when users can no
          longer ask for approval.
        </p>
        <FieldError field={first} />
        {applicationPolicies.map((one) => (
          <label key={one} class="choice">
            <input type="radio" id={`${field}_${one}`} name={field} value={one} checked={one === policy} />
            <span>
              <strong>{policies[one][0]}</strong> {policies[one][1]}
            </span>
          </label>
        ))}
      </fieldset>
    </Form>
  );
}
