import { userName } from '../../../platform/accounts/user.js';
import { actionForm, confirmPage, ImmediateEffects } from '../../../platform/pages/define-pages.js';
import { requestedId } from '../../../platform/pages/fields.js';
import type { PageContext, PageResponse } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { Problem, recordNotFound } from '../../../platform/problems/problem.js';
import { disconnectView } from './connected-applications.js';
import {
  afterChange,
  afterLink,
  changeableUser,
  mayNotChange,
  requestedUser,
  submittedRole,
  type UserPagesDependencies,
  userPath,
} from './user-pages.js';

/** Changes of another user: role, state, sessions, password and applications. Each needs a recent password. */
export function userActions(site: PageRouter, dependencies: UserPagesDependencies): void {
  const { userAdministration, passwordLinks, grants } = dependencies;
  const action = (
    name: string,
    reason: string,
    save: (context: PageContext, id: string) => Promise<PageResponse>,
  ) =>
    actionForm(site, userPath(':id', name), {
      recentPassword: ['form', reason],
      back: async (context) => userPath((await requestedUser(context, dependencies)).id),
      save: async (context) => save(context, (await requestedUser(context, dependencies)).id),
    });

  action('role', 'grants or removes permissions', async (context, id) => {
    const role = submittedRole(context);
    if (role === undefined) throw new Problem('invalid_request', 'The role must be owner, admin or member.');
    const change = await userAdministration.setRole(context.auditContext, id, role);
    return afterChange(change, id, change.kind === 'unchanged' ? 'role_unchanged' : 'role_changed');
  });

  confirmPage(site, userPath(':id', 'disable'), {
    reason: 'revokes the access of a user',
    view: async (context) => {
      const user = await changeableUser(context, dependencies);
      const { id, email } = user;
      const name = userName(user);
      return {
        title: `Disable ${name}?`,
        parent: { title: name, href: userPath(id) },
        button: 'Disable user',
        cancel: userPath(id),
        body: <DisableEffects email={email} />,
      };
    },
    save: async (context) => {
      const { id } = await requestedUser(context, dependencies);
      return afterChange(await userAdministration.disable(context.auditContext, id), id, 'user_disabled');
    },
  });

  for (const [name, reason, method, flash] of [
    ['enable', 'grants a user access', 'enable', 'user_enabled'],
    ['sessions', 'revokes the sessions of a user', 'revokeSessions', 'user_signed_out'],
    [
      'second_factor',
      'removes the second factors of a user',
      'removeSecondFactors',
      'second_factors_removed',
    ],
    ['single_sign_on', 'removes how a user signs in', 'unlinkIdentity', 'single_sign_on_unlinked'],
  ] as const) {
    action(name, reason, async ({ auditContext }, id) =>
      afterChange(await userAdministration[method](auditContext, id), id, flash),
    );
  }

  action('password_link', 'creates a link that sets a password', async ({ auditContext }, id) => {
    const outcome = await passwordLinks.create(auditContext, id);
    if (outcome.kind === 'not_found') throw recordNotFound();
    if (outcome.kind !== 'created') throw mayNotChange();
    return afterLink(outcome.link, {
      email: outcome.email,
      lifetime: '24 hours',
      back: userPath(id),
      title: 'Password link created',
      mailed: 'password_link_sent',
      failed: 'password_link_not_sent',
    });
  });

  confirmPage(site, userPath(':id', 'applications', ':application_id', 'disconnect'), {
    reason: 'revokes the access of an application',
    view: async (context) => {
      const { id, email } = await changeableUser(context, dependencies);
      return disconnectView(context, {
        grants,
        userId: id,
        applicationId: requestedId(context, 'application_id'),
        cancel: userPath(id),
        effects: `The application immediately loses its access on behalf of ${email}. It keeps the data that it has already read. To use it again, the user has to authorize it again.`,
      });
    },
    save: async (context) => {
      const { id } = await requestedUser(context, dependencies);
      const applicationId = requestedId(context, 'application_id');
      const change = await userAdministration.disconnect(context.auditContext, id, applicationId);
      if (change.kind === 'unchanged') throw recordNotFound();
      return afterChange(change, id, 'user_disconnected');
    },
  });
}

function DisableEffects({ email }: { email: string }) {
  return (
    <div class="warning">
      <ImmediateEffects />
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
