import type { Core } from '../../../../platform/core.js';
import { describeRejection } from '../../../../platform/pages/confirm-password.js';
import { withFlash } from '../../../../platform/pages/flash.js';
import { Form, NewPasswordField, TextField, UserNameField } from '../../../../platform/pages/form-parts.js';
import type { PageContext, PageHandler, PageView } from '../../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../../platform/pages/page-router.js';
import { accountAddress, settings } from '../../../../platform/pages/paths.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { UserServices } from '../../index.js';

const currentField = 'current_password';
const newField = 'new_password';
const applicationsField = 'sign_out_applications';

/** Form that changes the password, signs the user out of all other browsers and, if chosen, of all applications. */
export function passwordPages(
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
