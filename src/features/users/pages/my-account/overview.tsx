import type { SessionSummary } from '../../../../platform/accounts/sessions.js';
import { DescriptionItem, DescriptionList } from '../../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../../platform/pages/layout.js';
import { withNotice } from '../../../../platform/pages/notices.js';
import type { PageContext } from '../../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../../platform/pages/page-router.js';
import { accountAddress, ownSecondFactorPath, settings } from '../../../../platform/pages/paths.js';
import { SitePage } from '../../../../platform/pages/site-page.js';
import { recordNotFound } from '../../../../platform/problems/problem.js';
import type { Profile } from '../../../profile/index.js';
import { SessionList } from '../session-list.js';
import { roleName } from '../user-pages.js';
import type { AccountPagesDependencies } from './account-pages.js';

/** Settings → My account, and signing out of all browsers. */
export function overviewPages(site: PageRouter, dependencies: AccountPagesDependencies): void {
  const { profiles, userSessions, ownAccount } = dependencies;

  site.get(settings.account, async (context) => {
    const { user, sessionId } = context;
    const profile = await profiles.get(user.accountId, user.id);
    if (profile === null) throw recordNotFound();
    const sessions = await userSessions.list(user, { currentId: sessionId });
    return { page: <AccountPage {...{ context, profile, sessions }} /> };
  });

  // The address of the form: a user whose session expired is sent back to it after signing in.
  site.get(accountAddress('sessions'), async () => ({ redirect: settings.account }));

  site.post(accountAddress('sessions'), async (context) => {
    await ownAccount.signOutEverywhere(context.auditContext);
    return { redirect: withNotice('/sign_in', 'signed_out_everywhere') };
  });
}

function AccountPage({
  context,
  profile,
  sessions,
}: {
  context: PageContext;
  profile: Profile;
  sessions: readonly SessionSummary[];
}) {
  const { user } = context;
  return (
    <SitePage context={context} title="My account" current="account">
      <div class="heading">
        <h1>My account</h1>
        <a class="button secondary" href={accountAddress('profile')}>
          Edit profile
        </a>
      </div>
      <DescriptionList>
        <DescriptionItem name="Name">{`${profile.givenName} ${profile.familyName}`}</DescriptionItem>
        <DescriptionItem name="Role">
          {roleName(user.role)} of {user.accountName}
        </DescriptionItem>
        <DescriptionItem name="Language">{profile.locale ?? 'Not set'}</DescriptionItem>
        <DescriptionItem name="Time zone">{profile.zoneinfo ?? 'Not set (UTC)'}</DescriptionItem>
        <DescriptionItem name="Picture">{profile.picture ?? 'Not set'}</DescriptionItem>
        <DescriptionItem name="Phone number">{profile.phoneNumber ?? 'Not set'}</DescriptionItem>
      </DescriptionList>
      <section>
        <h2>Sign-in</h2>
        <DescriptionList>
          <DescriptionItem name="E-mail address">
            {profile.email} <a href={accountAddress('email')}>Change e-mail address</a>
          </DescriptionItem>
          <DescriptionItem name="Password">
            <a href={accountAddress('password')}>Change password</a>
          </DescriptionItem>
          <DescriptionItem name="Second factor">
            {user.hasSecondFactor ? 'Set up' : 'Not set up'}{' '}
            <a href={ownSecondFactorPath}>
              {user.hasSecondFactor ? 'Manage second factor' : 'Set up a second factor'}
            </a>
          </DescriptionItem>
        </DescriptionList>
      </section>
      <section>
        <h2>Sessions</h2>
        <p>Browsers in which you are signed in. If you do not recognize one, change your password.</p>
        <SessionList reader={user} sessions={sessions} />
        <form method="post" action={accountAddress('sessions')}>
          <CsrfField token={context.csrfToken} />
          <button type="submit" class="secondary">
            Sign out everywhere
          </button>
        </form>
      </section>
    </SitePage>
  );
}
