import type { SessionSummary } from '../../../platform/accounts/sessions.js';
import { type User, userName } from '../../../platform/accounts/user.js';
import type { Core } from '../../../platform/core.js';
import { describeRejection } from '../../../platform/pages/confirm-password.js';
import { actionForm, formPage, rejected, type SettingsPage } from '../../../platform/pages/define-pages.js';
import { withFlash } from '../../../platform/pages/flash.js';
import {
  ButtonForm,
  DescriptionItem,
  DescriptionList,
  Form,
  NewPasswordField,
  TextField,
  UserNameField,
} from '../../../platform/pages/form-parts.js';
import type { PageContext, PageHandler, PageView } from '../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../platform/pages/page-router.js';
import { accountAddress, ownSecondFactorPath, settings } from '../../../platform/pages/paths.js';
import { found } from '../../../platform/problems/problem.js';
import { sentence } from '../../../platform/problems/rule-texts.js';
import { type Profile, type ProfilePagesDependencies, profilePages } from '../../profile/index.js';
import { type OwnSecondFactorDependencies, ownSecondFactorPages } from '../../second-factors/index.js';
import type { UserServices } from '../index.js';
import { roleNames, SessionList } from './user-pages.js';

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
      const profile = found(await profiles.get(user.accountId, user.id));
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

/** The English name of a language with its tag, such as "British English (en-GB)". Other texts are unchanged. */
function languageName(tag: string): string {
  try {
    const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });
    const name = names.of(tag.replaceAll('_', '-'));
    return name === undefined ? tag : `${name} (${tag})`;
  } catch {
    return tag;
  }
}

function accountPage(user: User, profile: Profile, sessions: readonly SessionSummary[]): PageView {
  return {
    title: 'My account',
    actions: (
      <a class="button secondary" href={accountAddress('profile')}>
        Edit profile
      </a>
    ),
    body: (
      <>
        <DescriptionList>
          <DescriptionItem name="Name">{userName(profile)}</DescriptionItem>
          <DescriptionItem name="Role">
            {roleNames[user.role]} of {user.accountName}
          </DescriptionItem>
          <DescriptionItem name="Language">
            {profile.locale === null ? 'Not set' : languageName(profile.locale)}
          </DescriptionItem>
          <DescriptionItem name="Time zone">{profile.zoneinfo ?? 'Not set (UTC)'}</DescriptionItem>
          <DescriptionItem name="Picture">{profile.picture ?? 'Not set'}</DescriptionItem>
          <DescriptionItem name="Phone number">{profile.phoneNumber ?? 'Not set'}</DescriptionItem>
        </DescriptionList>
        <section>
          <h2>Sign-in</h2>
          <DescriptionList>
            <DescriptionItem name="E-mail address">
              <span class="with-action">
                {profile.email} <a href={accountAddress('email')}>Change e-mail address</a>
              </span>
            </DescriptionItem>
            <DescriptionItem name="Password">
              <a href={accountAddress('password')}>Change password</a>
            </DescriptionItem>
            <DescriptionItem name="Second factor">
              <span class="with-action">
                {user.hasSecondFactor ? 'Set up' : 'Not set up'}{' '}
                <a href={ownSecondFactorPath}>
                  {user.hasSecondFactor ? 'Manage second factor' : 'Set up a second factor'}
                </a>
              </span>
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

const field = 'email';

/** Form that changes the e-mail address. The change takes effect when the new address is confirmed by a link. */
function emailPages(site: PageRouter, { ownAccount, canSendMail }: UserServices): void {
  formPage(site, accountAddress('email'), {
    recentPassword: ['form', 'changes who can sign in'],
    initial: () => '',
    read: ({ form }) => form.text(field),
    view: (context, email) => emailPage(context, email, canSendMail),
    save: async (context, email) => {
      const outcome = await ownAccount.requestEmail(context.auditContext, context.sessionId, email);
      switch (outcome.kind) {
        case 'invalid_email':
          return rejected(field, sentence('The e-mail address', outcome.violation));
        case 'unchanged':
          return rejected(field, 'This is your e-mail address already.');
        case 'foreign_domain':
          return rejected(field, 'This e-mail address cannot be used.');
        case 'unavailable':
          return { status: 409, ...emailPage(context, '', false) };
        case 'failed':
          return { redirect: withFlash(settings.account, 'email_not_sent') };
        case 'sent':
          return { redirect: withFlash(settings.account, 'email_link_sent') };
      }
    },
  });
}

function emailPage({ user }: PageContext, email: string, available: boolean): PageView {
  return {
    title: 'Change e-mail address',
    body: (
      <>
        <p>
          You sign in with <strong>{user.email}</strong>.
        </p>
        {available ? (
          <Form button="Send link" cancel={settings.account}>
            <TextField
              id={field}
              label="New e-mail address"
              hint="You get a mail with a link at this address. The address changes when you open the link."
              type="email"
              value={email}
              autocomplete="email"
              maxLength={320}
            />
          </Form>
        ) : (
          <p>
            The address cannot be changed here, because this server sends no mail. Its operator can change it.{' '}
            <a href={settings.account}>Back to My account</a>
          </p>
        )}
      </>
    ),
  };
}

const currentField = 'current_password';
const newField = 'new_password';
const applicationsField = 'sign_out_applications';

/** Form that changes the password, signs the user out of all other browsers and, if chosen, of all applications. */
function passwordPages(
  site: PageRouter,
  { reauthentication, ownAccount, users }: Pick<Core, 'reauthentication' | 'users'> & UserServices,
): void {
  const path = accountAddress('password');

  site.get(path, async (context) =>
    (await users.passwordHashOf(context.user)) === null ? noPasswordPage : passwordPage(context),
  );

  const save: PageHandler = async (context) => {
    const { user, sessionId, auditContext, form } = context;
    const signal = context.disconnected();
    const revokesGrants = form.text(applicationsField) !== '';
    const password = form.secret(currentField);
    const confirmation = { user, sessionId, password, context: auditContext, signal };
    const outcome = await reauthentication.confirm(confirmation);
    if (outcome.kind !== 'confirmed') {
      const { message, ...rejection } = describeRejection(outcome);
      return { ...passwordPage(context), ...rejection, errors: [{ field: currentField, message }] };
    }
    const error = await ownAccount.changePassword(auditContext, {
      password: form.secret(newField),
      sessionId,
      revokesGrants,
      signal,
    });
    if (error !== undefined) {
      const message = sentence('The password', error);
      return { ...passwordPage(context), errors: [{ field: newField, message }] };
    }
    const flash = revokesGrants ? 'password_changed_applications_signed_out' : 'password_changed';
    return { redirect: withFlash(settings.account, flash) };
  };
  site.post(path, save, { recentPassword: ['no', 'has a field for the current password'] });
}

const title = 'Change password';

function passwordPage({ user, form }: PageContext): PageView {
  return {
    title,
    body: (
      <>
        <p>
          You stay signed in here, and are signed out of all other browsers. Unused links that were sent to
          you stop working. Applications keep their access, unless you sign them out too.
        </p>
        <Form button="Change password" cancel={settings.account}>
          <UserNameField email={user.email} />
          <TextField
            id={currentField}
            label="Current password"
            type="password"
            autocomplete="current-password"
            maxLength={1024}
          />
          <NewPasswordField label="New password" />
          <fieldset>
            <legend>Connected applications</legend>
            <label class="choice">
              <input
                type="checkbox"
                name={applicationsField}
                value="yes"
                checked={form.text(applicationsField) !== ''}
              />
              <span>
                <strong>Also sign out applications</strong> All applications that you authorized lose their
                access immediately, and have to be authorized again.
              </span>
            </label>
          </fieldset>
        </Form>
      </>
    ),
  };
}

/** For a user whom single sign-on created. */
const noPasswordPage: PageView = {
  title,
  body: <p>You have no password. You sign in with single sign-on.</p>,
};
