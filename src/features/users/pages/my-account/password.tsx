import { describeRejection } from '../../../../platform/pages/confirm-password.js';
import {
  ErrorSummary,
  type FormError,
  NewPasswordField,
  TextField,
} from '../../../../platform/pages/form-parts.js';
import { CsrfField } from '../../../../platform/pages/layout.js';
import { withNotice } from '../../../../platform/pages/notices.js';
import type { PageContext } from '../../../../platform/pages/page-context.js';
import type { PageRouter } from '../../../../platform/pages/page-router.js';
import { accountAddress, settings } from '../../../../platform/pages/paths.js';
import { SitePage } from '../../../../platform/pages/site-page.js';
import { sentence } from '../../../../platform/problems/rule-texts.js';
import type { AccountPagesDependencies } from './account-pages.js';

const currentField = 'current_password';
const newField = 'new_password';
const applicationsField = 'sign_out_applications';

/** Form that changes the password, signs the user out of all other browsers and, if chosen, of all applications. */
export function passwordPages(
  site: PageRouter,
  { reauthentication, ownAccount, users }: AccountPagesDependencies,
): void {
  const path = accountAddress('password');

  site.get(path, async (context) => {
    const hasPassword = (await users.passwordHashOf(context.user)) !== null;
    return { page: hasPassword ? <PasswordPage context={context} /> : <NoPasswordPage context={context} /> };
  });

  site.post(path, async (context) => {
    const { user, sessionId, auditContext, form } = context;
    const signal = context.disconnected();
    const failed = (field: string, message: string, status = 400) => ({
      status,
      page: <PasswordPage context={context} errors={[{ field, message }]} />,
    });
    const revokesGrants = form.text(applicationsField) !== '';
    const password = form.secret(currentField);
    const outcome = await reauthentication.confirm({
      user,
      sessionId,
      password,
      context: auditContext,
      signal,
    });
    if (outcome.kind !== 'confirmed') {
      const { status, retryAfterSeconds, message } = describeRejection(outcome);
      return { ...failed(currentField, message, status), ...(retryAfterSeconds && { retryAfterSeconds }) };
    }
    const error = await ownAccount.changePassword(auditContext, {
      password: form.secret(newField),
      sessionId,
      revokesGrants,
      signal,
    });
    if (error !== undefined) return failed(newField, sentence('The password', error));
    const notice = revokesGrants ? 'password_changed_applications_signed_out' : 'password_changed';
    return { redirect: withNotice(settings.account, notice) };
  });
}

function PasswordPage({ context, errors = [] }: { context: PageContext; errors?: readonly FormError[] }) {
  const title = 'Change password';
  const messages = new Map(errors.map((error) => [error.field, error.message]));
  return (
    <SitePage context={context} title={title} hasErrors={errors.length > 0} current="account">
      <h1>{title}</h1>
      <ErrorSummary errors={errors} />
      <p>
        You stay signed in here, and are signed out of all other browsers. Unused links that were sent to you
        stop working. Applications keep their access, unless you sign them out too.
      </p>
      <form method="post" action={accountAddress('password')} noValidate class="fields">
        <CsrfField token={context.csrfToken} />
        {/* For password managers. */}
        <input type="text" value={context.user.email} autocomplete="username" hidden readOnly />
        <TextField
          id={currentField}
          label="Current password"
          type="password"
          autocomplete="current-password"
          maxLength={1024}
          error={messages.get(currentField)}
        />
        <NewPasswordField label="New password" error={messages.get(newField)} />
        <fieldset>
          <legend>Connected applications</legend>
          <label class="choice">
            <input
              type="checkbox"
              name={applicationsField}
              value="yes"
              checked={context.form.text(applicationsField) !== ''}
            />
            <span>
              <strong>Also sign out applications</strong> All applications that you authorized lose their
              access immediately, and have to be authorized again.
            </span>
          </label>
        </fieldset>
        <div class="actions">
          <button type="submit">Change password</button>
          <a href={settings.account}>Cancel</a>
        </div>
      </form>
    </SitePage>
  );
}

/** For a user whom single sign-on created. */
function NoPasswordPage({ context }: { context: PageContext }) {
  const title = 'Change password';
  return (
    <SitePage context={context} title={title} current="account">
      <h1>{title}</h1>
      <p>You have no password. You sign in with single sign-on.</p>
    </SitePage>
  );
}
