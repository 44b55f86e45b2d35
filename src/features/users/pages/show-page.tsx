import type { ConnectedApplication } from '../../../oauth/grants/grants.js';
import type { SessionSummary } from '../../../platform/accounts/sessions.js';
import { userName } from '../../../platform/accounts/user.js';
import type { UserSummary } from '../../../platform/accounts/users.js';
import { Badge } from '../../../platform/pages/badge.js';
import {
  ButtonForm,
  CsrfField,
  DescriptionItem,
  DescriptionList,
} from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { settings } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import {
  assignableRoles,
  mayChange,
  requestedUser,
  roleDescriptions,
  roleNames,
  SessionList,
  secondFactorText,
  type UserPagesDependencies,
  userPath,
} from './user-pages.js';

interface Props {
  readonly context: PageContext;
  readonly user: UserSummary;
  readonly sessions: readonly SessionSummary[];
  readonly connections: readonly ConnectedApplication[];
  /** Whether links are sent by mail. */
  readonly canSendMail: boolean;
}

/** A user of the account, and what the signed-in user may change. */
export function showPage(site: PageRouter, dependencies: UserPagesDependencies): void {
  const { userSessions, grants, canSendMail } = dependencies;
  site.get(userPath(':id'), async (context) => {
    const { accountId, at: now } = context.auditContext;
    const user = await requestedUser(context, dependencies);
    const { id } = user;
    const shown = mayChange(context, user);
    const sessions = shown ? await userSessions.list({ id, accountId }) : [];
    const connections = shown ? await grants.connectedApplications(accountId, { userId: id, now }) : [];
    return {
      title: userName(user),
      body: <UserDetails {...{ context, user, sessions, connections, canSendMail }} />,
    };
  });
}

function UserDetails(props: Props) {
  const { context, user } = props;
  const { id, email, role, disabledAt, lastSignInAt, createdAt } = user;
  return (
    <>
      <DescriptionList>
        <DescriptionItem name="E-mail address">{email}</DescriptionItem>
        <DescriptionItem name="Role">
          {roleNames[role]}: {roleDescriptions[role]}
        </DescriptionItem>
        <DescriptionItem name="State">
          {disabledAt === null ? (
            <Badge tone="good">Enabled</Badge>
          ) : (
            <>
              <Badge tone="ended">Disabled</Badge> on <Timestamp at={disabledAt} />
            </>
          )}
        </DescriptionItem>
        <DescriptionItem name="Sign-in">{user.singleSignOn ? 'Single sign-on' : 'Password'}</DescriptionItem>
        <DescriptionItem name="Second factor">{secondFactorText(user)}</DescriptionItem>
        <DescriptionItem name="Last sign-in">
          <TimestampOrNever at={lastSignInAt} />
        </DescriptionItem>
        <DescriptionItem name="Created">
          <Timestamp at={createdAt} />
        </DescriptionItem>
      </DescriptionList>
      {mayChange(context, user) ? (
        <Changes {...props} />
      ) : id === context.user.id ? (
        <p>
          This is you. Change your data under <a href={settings.account}>My account</a>.
        </p>
      ) : (
        <p>Only owners can change owners.</p>
      )}
    </>
  );
}

function Changes({ context, user, sessions, connections, canSendMail }: Props) {
  const { id, disabledAt } = user;
  return (
    <>
      <RoleSection {...{ context, user }} />
      {disabledAt === null && (
        <section>
          <h2>Password</h2>
          <p>
            {canSendMail
              ? 'The user gets a mail with a link to set a new password. It can be used once, within 24 hours.'
              : 'You get a link to set a new password, and send it to the user. It can be used once, within 24 hours.'}
          </p>
          <ButtonForm action={userPath(id, 'password_link')}>
            {canSendMail ? 'Send a password link' : 'Create a password link'}
          </ButtonForm>
        </section>
      )}
      {user.singleSignOn && (
        <section>
          <h2>Single sign-on</h2>
          <p>
            Remove the link if your identity provider has created this person again. The next sign-in with the
            verified e-mail address links the user again.
          </p>
          <ButtonForm action={userPath(id, 'single_sign_on')}>Remove the link</ButtonForm>
        </section>
      )}
      <section>
        <h2>Sessions</h2>
        {sessions.length === 0 ? (
          <p>The user is not signed in.</p>
        ) : (
          <>
            <SessionList sessions={sessions} />
            <ButtonForm action={userPath(id, 'sessions')}>Sign out of all browsers</ButtonForm>
          </>
        )}
      </section>
      {(user.hasAuthenticatorApp || user.passkeys > 0) && (
        <section>
          <h2>Second factor</h2>
          <p>
            If the user has lost it, remove it. The user is signed out of all browsers, and signs in with the
            password. Verify the identity of the person first.
          </p>
          <ButtonForm action={userPath(id, 'second_factor')}>Remove second factor</ButtonForm>
        </section>
      )}
      <ConnectionsSection {...{ user, connections }} />
      <StateSection user={user} />
    </>
  );
}

function RoleSection({ context, user }: Pick<Props, 'context' | 'user'>) {
  return (
    <section>
      <h2>Role</h2>
      <form method="post" action={userPath(user.id, 'role')} class="fields">
        <CsrfField />
        <div class="field">
          <label for="role">New role</label>
          <select id="role" name="role">
            {assignableRoles(context).map((role) => (
              <option key={role} value={role} selected={role === user.role}>
                {roleNames[role]}
              </option>
            ))}
          </select>
        </div>
        <button type="submit" class="secondary">
          Change role
        </button>
      </form>
    </section>
  );
}

function ConnectionsSection({ user, connections }: Pick<Props, 'user' | 'connections'>) {
  return (
    <section>
      <h2>Connected applications</h2>
      {connections.length === 0 ? (
        <p>No application can act on behalf of the user.</p>
      ) : (
        <ul>
          {connections.map(({ applicationId, name, connectedAt }) => (
            <li key={applicationId}>
              <strong>{name}</strong>, connected on <Timestamp at={connectedAt} />{' '}
              <a href={userPath(user.id, 'applications', applicationId, 'disconnect')}>
                Disconnect<span class="unseen"> {name}</span>
              </a>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}

function StateSection({ user: { id, disabledAt } }: Pick<Props, 'user'>) {
  if (disabledAt !== null) {
    return (
      <section>
        <h2>Enable</h2>
        <p>The user can sign in again. Sessions and connected applications are not restored.</p>
        <ButtonForm action={userPath(id, 'enable')}>Enable user</ButtonForm>
      </section>
    );
  }
  return (
    <section>
      <h2>Disable</h2>
      <p>The user can no longer sign in. The next page asks for confirmation.</p>
      <p>
        <a class="button danger" href={userPath(id, 'disable')}>
          Disable user
        </a>
      </p>
    </section>
  );
}
