import { actionForm, confirmPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { Problem, recordNotFound } from '../../../platform/problems/problem.js';
import { linkPage } from './link-page.js';
import {
  afterChange,
  changeableUser,
  mayNotChange,
  requestedUser,
  submittedRole,
  type UserPagesDependencies,
  userAddress,
} from './user-pages.js';

/** Changes of another user: role, state, sessions and password. Each needs a recent password. */
export function changePages(site: PageRouter, dependencies: UserPagesDependencies): void {
  const { userAdministration, passwordLinks } = dependencies;
  const action = (
    name: string,
    reason: string,
    save: (context: PageContext, id: string) => Promise<PageResponse>,
  ) =>
    actionForm(site, userAddress(':id', name), {
      recentPassword: ['form', reason],
      back: async (context) => userAddress((await requestedUser(context, dependencies)).id),
      save: async (context) => save(context, (await requestedUser(context, dependencies)).id),
    });

  action('role', 'grants or removes permissions', async (context, id) => {
    const role = submittedRole(context);
    if (role === undefined) throw new Problem('invalid_request', 'The role must be owner, admin or member.');
    return afterChange(await userAdministration.setRole(context.auditContext, id, role), id, 'role_changed');
  });

  confirmPage(site, userAddress(':id', 'disable'), {
    reason: 'revokes the access of a user',
    view: async (context) => {
      const { id, givenName, familyName, email } = await changeableUser(context, dependencies);
      const name = `${givenName} ${familyName}`;
      return {
        title: `Disable ${name}?`,
        parent: { title: name, href: userAddress(id) },
        button: 'Disable user',
        cancel: userAddress(id),
        body: <DisableEffects email={email} />,
      };
    },
    save: async (context) => {
      const { id } = await requestedUser(context, dependencies);
      return afterChange(await userAdministration.disable(context.auditContext, id), id, 'user_disabled');
    },
  });

  action('enable', 'grants a user access', async ({ auditContext }, id) =>
    afterChange(await userAdministration.enable(auditContext, id), id, 'user_enabled'),
  );

  action('sessions', 'revokes the sessions of a user', async ({ auditContext }, id) =>
    afterChange(await userAdministration.revokeSessions(auditContext, id), id, 'user_signed_out'),
  );

  action('second_factor', 'removes the second factors of a user', async ({ auditContext }, id) =>
    afterChange(await userAdministration.removeSecondFactors(auditContext, id), id, 'second_factors_removed'),
  );

  action('single_sign_on', 'removes how a user signs in', async ({ auditContext }, id) =>
    afterChange(await userAdministration.unlinkIdentity(auditContext, id), id, 'single_sign_on_unlinked'),
  );

  action('password_link', 'creates a link that sets a password', async ({ auditContext }, id) => {
    const outcome = await passwordLinks.create(auditContext, id);
    if (outcome.kind === 'not_found') throw recordNotFound();
    if (outcome.kind !== 'created') throw mayNotChange();
    const { link, email } = outcome;
    if (link.kind === 'mailed') return { redirect: withFlash(userAddress(id), 'password_link_sent') };
    if (link.kind === 'failed') return { redirect: withFlash(userAddress(id), 'password_link_not_sent') };
    const title = 'Password link created';
    return linkPage({ title, email, url: link.url, lifetime: '24 hours', back: userAddress(id) });
  });
}

function DisableEffects({ email }: { email: string }) {
  return (
    <div class="warning">
      <p>
        <strong>This takes effect immediately:</strong>
      </p>
      <ul>
        <li>{email} can no longer sign in, and is signed out of all browsers.</li>
        <li>The applications of the user are disconnected, and their tokens no longer work.</li>
        <li>Links that the user received or created no longer work.</li>
      </ul>
      <p>
        Applications that the user registered belong to the account and keep working, with their webhook
        endpoints. Revoke their access under <a href={settings.applications}>OAuth applications</a>.
      </p>
      <p>You can enable the user again. Connected applications have to be authorized again.</p>
    </div>
  );
}
