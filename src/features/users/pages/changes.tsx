import type { UserSummary } from '../../../platform/accounts/users.js';
import { ConfirmForm } from '../../../platform/pages/confirm-form.js';
import { withNotice } from '../../../platform/pages/notices.js';
import type { PageContext, PageHandler } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { SitePage } from '../../../platform/pages/site-page.js';
import { Problem, recordNotFound } from '../../../platform/problems/problem.js';
import { LinkPage } from './link-page.js';
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
  const pathOf = (action: string) => `${settings.users}/:id/${action}`;
  const post = (action: string, handle: PageHandler) => site.post(pathOf(action), handle);

  // The addresses of forms: a user whose session expired is sent back to them after signing in.
  for (const action of ['role', 'enable', 'sessions', 'second_factor', 'single_sign_on', 'password_link']) {
    site.get(pathOf(action), async (context) => ({
      redirect: userAddress((await requestedUser(context, dependencies)).id),
    }));
  }

  post('role', async (context) => {
    const { id } = await requestedUser(context, dependencies);
    const role = submittedRole(context);
    if (role === undefined) throw new Problem('invalid_request', 'The role must be owner, admin or member.');
    return afterChange(await userAdministration.setRole(context.auditContext, id, role), id, 'role_changed');
  });

  site.get(pathOf('disable'), async (context) => {
    const user = await changeableUser(context, dependencies);
    return { page: <DisablePage context={context} user={user} /> };
  });

  post('disable', async (context) => {
    const { id } = await requestedUser(context, dependencies);
    return afterChange(await userAdministration.disable(context.auditContext, id), id, 'user_disabled');
  });

  post('enable', async (context) => {
    const { id } = await requestedUser(context, dependencies);
    return afterChange(await userAdministration.enable(context.auditContext, id), id, 'user_enabled');
  });

  post('sessions', async (context) => {
    const { id } = await requestedUser(context, dependencies);
    const change = await userAdministration.revokeSessions(context.auditContext, id);
    return afterChange(change, id, 'user_signed_out');
  });

  post('second_factor', async (context) => {
    const { id } = await requestedUser(context, dependencies);
    const change = await userAdministration.removeSecondFactors(context.auditContext, id);
    return afterChange(change, id, 'second_factors_removed');
  });

  post('single_sign_on', async (context) => {
    const { id } = await requestedUser(context, dependencies);
    const change = await userAdministration.unlinkIdentity(context.auditContext, id);
    return afterChange(change, id, 'single_sign_on_unlinked');
  });

  post('password_link', async (context) => {
    const { id } = await requestedUser(context, dependencies);
    const outcome = await passwordLinks.create(context.auditContext, id);
    if (outcome.kind === 'not_found') throw recordNotFound();
    if (outcome.kind !== 'created') throw mayNotChange();
    const { link, email } = outcome;
    if (link.kind === 'mailed') return { redirect: withNotice(userAddress(id), 'password_link_sent') };
    if (link.kind === 'failed') return { redirect: withNotice(userAddress(id), 'password_link_not_sent') };
    return {
      script: true,
      page: (
        <LinkPage
          context={context}
          title="Password link created"
          email={email}
          url={link.url}
          lifetime="24 hours"
          back={userAddress(id)}
        />
      ),
    };
  });
}

function DisablePage({ context, user }: { context: PageContext; user: UserSummary }) {
  const { id, givenName, familyName, email } = user;
  const title = `Disable ${givenName} ${familyName}?`;
  return (
    <SitePage
      context={context}
      title={title}
      current="users"
      parent={{ title: `${givenName} ${familyName}`, href: userAddress(id) }}
    >
      <h1>{title}</h1>
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
      <ConfirmForm
        context={context}
        action={userAddress(id, 'disable')}
        button="Disable user"
        cancel={userAddress(id)}
      />
    </SitePage>
  );
}
