import { userName } from '../../../platform/accounts/user.js';
import type { UserSummary } from '../../../platform/accounts/users.js';
import { mayAdminister } from '../../../platform/changes/locks.js';
import { Badge } from '../../../platform/pages/badge.js';
import { type Column, column, DataTable } from '../../../platform/pages/data-table.js';
import type { SettingsPage } from '../../../platform/pages/define-pages.js';
import { isRecordId } from '../../../platform/pages/fields.js';
import { ButtonForm } from '../../../platform/pages/form-parts.js';
import type { PageContext } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { CursorPager } from '../../../platform/pages/pager.js';
import { settings } from '../../../platform/pages/paths.js';
import { Timestamp, TimestampOrNever } from '../../../platform/pages/timestamp.js';
import type { Invitation } from '../invitations.js';
import { invitationPages, invitationsPath } from './invite.js';
import { showPage } from './show-page.js';
import { userActions } from './user-actions.js';
import { roleNames, secondFactorText, type UserPagesDependencies, userPath } from './user-pages.js';

/** Settings → Users. */
export const userPages: SettingsPage<UserPagesDependencies> = {
  title: 'Users',
  path: settings.users,
  audience: 'administrators',
  register(site, dependencies) {
    listPage(site, dependencies);
    invitationPages(site, dependencies);
    showPage(site, dependencies);
    userActions(site, dependencies);
  },
};

const pageSize = 50;

/** The users of the account by e-mail address, and on the first page the open invitations. */
function listPage(site: PageRouter, { users, invitations, canSendMail }: UserPagesDependencies): void {
  site.get(settings.users, async (context) => {
    const { accountId, at } = context.auditContext;
    const after = context.query.text('after');
    const anchor = isRecordId(after) ? await users.get(accountId, after) : null;
    const found = await users.list(accountId, { after: anchor?.email ?? '', size: pageSize + 1 });
    const open = anchor === null ? await invitations.list(accountId, at) : [];
    const rows = found.slice(0, pageSize);
    const last = found.length > pageSize ? rows.at(-1) : undefined;
    return {
      title: 'Users',
      actions: (
        <a class="button" href={`${settings.users}/invite`}>
          Invite a user
        </a>
      ),
      body: (
        <>
          <DataTable caption="Users of your account" columns={userColumns} rows={rows} />
          <CursorPager
            first={anchor === null ? undefined : settings.users}
            next={last && `${settings.users}?after=${last.id}`}
          />
          {open.length > 0 && (
            <section>
              <h2>Invitations</h2>
              <p>These people have not accepted their invitation.</p>
              <DataTable
                caption="Open invitations"
                columns={invitationColumns(context, canSendMail)}
                rows={open}
              />
            </section>
          )}
        </>
      ),
    };
  });
}

const userColumns: readonly Column<UserSummary>[] = [
  column('User', (user) => (
    <>
      <a href={userPath(user.id)}>{userName(user)}</a>
      <span class="hint"> {user.email}</span>
    </>
  )),
  column('Role', ({ role }) => roleNames[role], { kind: 'short' }),
  column('Last sign-in', ({ lastSignInAt }) => <TimestampOrNever at={lastSignInAt} />),
  column('Second factor', secondFactorText),
  column('State', ({ disabledAt }) =>
    disabledAt === null ? <Badge tone="good">Enabled</Badge> : <Badge tone="ended">Disabled</Badge>,
  ),
];

function invitationColumns(context: PageContext, canSendMail: boolean): Column<Invitation>[] {
  return [
    column('E-mail address', ({ email }) => <strong>{email}</strong>),
    column('Role', ({ role }) => roleNames[role], { kind: 'short' }),
    column('Expires', ({ expiresAt }) => <Timestamp at={expiresAt} />),
    column('Actions', (invitation) => <InvitationActions {...{ context, invitation, canSendMail }} />),
  ];
}

function InvitationActions({
  context,
  invitation: { id, email, role },
  canSendMail,
}: {
  context: PageContext;
  invitation: Invitation;
  canSendMail: boolean;
}) {
  if (!mayAdminister(context.user.role, role)) return <>Only owners can change it</>;
  const about = <span class="unseen"> for the invitation of {email}</span>;
  return (
    <div class="row-actions">
      <ButtonForm
        action={invitationsPath}
        className="quiet"
        hidden={[
          ['email', email],
          ['role', role],
        ]}
      >
        {canSendMail ? 'Send again' : 'New link'}
        {about}
      </ButtonForm>
      <ButtonForm action={`${invitationsPath}/${id}/revoke`} className="quiet">
        Revoke{about}
      </ButtonForm>
    </div>
  );
}
