import type { SessionSummary } from '../../../../platform/accounts/sessions.js';
import type { User } from '../../../../platform/accounts/user.js';
import type { Core } from '../../../../platform/core.js';
import { actionForm, type SettingsPage } from '../../../../platform/pages/define-pages.js';
import { withFlash } from '../../../../platform/pages/flash.js';
import { ButtonForm, DescriptionItem, DescriptionList } from '../../../../platform/pages/form-parts.js';
import type { PageView } from '../../../../platform/pages/page-context.js';
import { accountAddress, ownSecondFactorPath, settings } from '../../../../platform/pages/paths.js';
import { recordNotFound } from '../../../../platform/problems/problem.js';
import { type Profile, type ProfilePagesDependencies, profilePages } from '../../../profile/index.js';
import { type OwnSecondFactorDependencies, ownSecondFactorPages } from '../../../second-factors/index.js';
import type { UserServices } from '../../index.js';
import { roleNames, SessionList } from '../user-pages.js';
import { emailPages } from './email.js';
import { passwordPages } from './password.js';

type AccountPagesDependencies = Pick<Core, 'users' | 'userSessions' | 'reauthentication'> &
  UserServices &
  ProfilePagesDependencies &
  OwnSecondFactorDependencies;

/** Settings → My account. */
export const accountPages: SettingsPage<AccountPagesDependencies> = {
  title: 'My account',
  path: settings.account,
  audience: 'users',
  register(site, dependencies) {
    const { profiles, userSessions, ownAccount } = dependencies;
    site.get(settings.account, async (context) => {
      const { user, sessionId } = context;
      const profile = await profiles.get(user.accountId, user.id);
      if (profile === null) throw recordNotFound();
      return accountPage(user, profile, await userSessions.list(user, { currentId: sessionId }));
    });
    actionForm(site, accountAddress('sessions'), {
      recentPassword: ['no', 'ends only own sessions'],
      back: () => settings.account,
      save: async (context) => {
        await ownAccount.signOutEverywhere(context.auditContext);
        return { redirect: withFlash('/sign_in', 'signed_out_everywhere') };
      },
    });
    profilePages(site, dependencies);
    emailPages(site, dependencies);
    passwordPages(site, dependencies);
    ownSecondFactorPages(site, dependencies);
  },
};

function accountPage(user: User, profile: Profile, sessions: readonly SessionSummary[]): PageView {
  return {
    title: 'My account',
    heading: (
      <div class="heading">
        <h1>My account</h1>
        <a class="button secondary" href={accountAddress('profile')}>
          Edit profile
        </a>
      </div>
    ),
    body: (
      <>
        <DescriptionList>
          <DescriptionItem name="Name">{`${profile.givenName} ${profile.familyName}`}</DescriptionItem>
          <DescriptionItem name="Role">
            {roleNames[user.role]} of {user.accountName}
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
          <SessionList sessions={sessions} />
          <ButtonForm action={accountAddress('sessions')}>Sign out everywhere</ButtonForm>
        </section>
      </>
    ),
  };
}
