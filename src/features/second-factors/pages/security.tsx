import { type SecondFactorPolicy, secondFactorPolicies } from '../../../platform/accounts/user.js';
import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import { Form } from '../../../platform/pages/form-parts.js';
import type { PageContext, PageHandler } from '../../../platform/pages/page-context.js';
import { settings } from '../../../platform/pages/paths.js';
import { RevokeGrantsField, revocationChoice } from '../../../platform/pages/revocation-choice.js';
import { Problem } from '../../../platform/problems/problem.js';
import type { SecondFactorPolicies } from '../second-factor-policy.js';

const path = `${settings.root}/security`;
const policyField = 'second_factor';

const labels: Readonly<Record<SecondFactorPolicy, string>> = {
  optional: 'Each user decides',
  administrators: 'Owners and administrators must have one',
  all: 'All users must have one',
};

/** Settings → Security: who must have a second factor. Only owners change it. */
export const securityPage: SettingsPage<{ policies: SecondFactorPolicies }> = {
  title: 'Security',
  path,
  audience: 'administrators',
  register(site, { policies }) {
    site.get(path, async ({ user }) => ({ title: 'Security', body: <Security user={user} /> }));

    const save: PageHandler = async (context) => {
      const { form, auditContext } = context;
      const given = form.text(policyField);
      const policy = secondFactorPolicies.find((known) => known === given);
      if (policy === undefined) {
        throw new Problem(
          'invalid_request',
          `${policyField} must be one of ${secondFactorPolicies.join(', ')}.`,
        );
      }
      const outcome = await policies.change(auditContext, policy, revocationChoice(context));
      if (outcome === 'forbidden') throw new Problem('access_denied', 'Only owners can change this setting.');
      return { redirect: withFlash(path, 'security_saved') };
    };
    site.post(path, save, { recentPassword: ['form', 'changes who needs a second factor'] });
  },
};

function Security({ user }: Pick<PageContext, 'user'>) {
  return (
    <>
      <h2 id="policy">Second factor</h2>
      <p>
        A second factor is an authenticator app or a passkey. You can require it. Users who have none are then
        asked to set one up the next time that they use People. If a user has lost it, an owner or
        administrator removes it under <a href={settings.users}>Users</a>.
      </p>
      {user.role === 'owner' ? (
        <Form validated button="Save">
          <fieldset aria-labelledby="policy">
            {secondFactorPolicies.map((policy) => (
              <label key={policy} class="choice">
                <input
                  type="radio"
                  name={policyField}
                  value={policy}
                  checked={policy === user.secondFactorPolicy}
                />
                <span>{labels[policy]}</span>
              </label>
            ))}
          </fieldset>
          <p>
            Users who must have a second factor from now on are signed out of browsers in which they did not
            use one.
          </p>
          <RevokeGrantsField
            id={`${policyField}-grants`}
            label="Also disconnect the applications of these users"
          />
        </Form>
      ) : (
        <p>
          <strong>{labels[user.secondFactorPolicy]}.</strong> Only owners can change this.
        </p>
      )}
    </>
  );
}
