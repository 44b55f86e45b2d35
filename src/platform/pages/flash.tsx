/**
 * Confirmation messages, shown after a form was submitted. The URL has the name of a message and never its text, so that a
 * crafted link cannot show arbitrary text.
 */
const messages = {
  application_created: 'Application created.',
  application_exists:
    'This form was already submitted, and the application exists. Its secret is not shown again.',
  application_updated: 'Changes saved. They apply to existing tokens immediately.',
  application_deleted: 'Application deleted. Its tokens no longer work.',
  webhook_test_sent: 'Test sent. Its result is the first of the attempts.',
  webhook_exists:
    'This form was already submitted, and the endpoint exists. Its secret is not shown again: replace it if you have not stored it.',
  webhook_updated: 'Changes saved.',
  webhook_paused: 'Endpoint paused. Events are sent when you resume it.',
  webhook_deleted: 'Endpoint deleted.',
  webhook_secret_exists:
    'This form was already submitted, and the secret is replaced. It is not shown again.',
  webhook_resumed: 'Endpoint resumed. The next events are sent within a few seconds.',
  application_approved: 'Application approved. Your users can connect it now.',
  application_removed: 'Application removed. Its tokens no longer work.',
  approval_declined: 'Request declined. The users who asked for it cannot ask again.',
  application_policy_saved: 'Changes saved. Applications that are already approved keep working.',
  development_saved: 'Changes saved. They apply to existing tokens immediately.',
  access_revoked:
    'All access revoked. Tokens issued before no longer work, and webhook endpoints are paused.',
  secret_exists: 'This form was already submitted, and the secret exists. It is not shown again.',
  keys_saved: 'Keys saved. The application must authenticate with them from now on.',
  secret_revoked: 'Secret revoked.',
  disconnected: 'Application disconnected. It can no longer act on your behalf.',
  permissions_saved: 'Changes saved. They apply to existing tokens immediately.',
  invited: 'Invitation sent. Its link works for 7 days.',
  invitation_revoked: 'Invitation revoked. Its link no longer works.',
  role_changed: 'Role changed.',
  role_unchanged: 'The user already has this role.',
  user_disabled: 'User disabled and signed out. The applications of the user are disconnected.',
  user_enabled: 'User enabled. The user can sign in again.',
  user_signed_out: 'The user is signed out of all browsers.',
  user_disconnected: 'Application disconnected. It can no longer act on behalf of the user.',
  password_link_sent: 'Mail sent. Its link works for 24 hours.',
  invitation_accepted: 'Your user is created. Sign in with your e-mail address and password.',
  joined: 'Welcome. Your user is created, and you are signed in.',
  password_set: 'Password saved. Sign in with the new password.',
  profile_saved: 'Changes saved.',
  password_changed: 'Password changed. You are signed out of all other browsers.',
  password_changed_applications_signed_out:
    'Password changed. You are signed out of all other browsers, and your applications are disconnected.',
  email_link_sent: 'Mail sent to the new address. Open its link to confirm the address.',
  single_sign_on_saved: 'Changes saved. “Test sign-in” shows whether they work.',
  single_sign_on_issuer_replaced:
    'Changes saved. Users of the earlier identity provider are signed out. “Test sign-in” shows whether the new one works.',
  single_sign_on_required: 'Administrators and members can now sign in with single sign-on only.',
  single_sign_on_not_required: 'All users can sign in with a password again.',
  single_sign_on_removed: 'Single sign-on removed. Its users are signed out.',
  single_sign_on_unlinked:
    'Link removed. The next sign-in with the verified e-mail address of the user links the user again.',
  domain_confirmed: 'Domain confirmed. Keep the record: it is checked every day.',
  domain_removed: 'Domain removed. You can delete its record.',
  app_added: 'Authenticator app saved. Other browsers must enter a code.',
  app_removed: 'Authenticator app removed.',
  passkey_added: 'Passkey saved. You can sign in with it.',
  passkey_removed: 'Passkey removed. Delete it on your device too.',
  security_saved: 'Changes saved. Users who do not meet the requirement are signed out.',
  second_factors_removed: 'Second factors removed. The user is signed out of all browsers.',
  report_created: 'Report created.',
  report_exists: 'This form was already submitted, and the report exists.',
  report_updated: 'Changes saved.',
  report_deleted: 'Report deleted.',
  employee_created: 'Employee added.',
  employee_updated: 'Changes saved.',
  employee_deleted: 'Employee deleted.',
  employees_updated: 'The selected people have the new value.',
  attribute_created: 'Attribute added. Applications can read it when you choose it for them.',
  attribute_updated: 'Changes saved.',
  attribute_archived: 'Attribute archived. Its values are kept, and no longer shown.',
  attribute_restored: 'Attribute restored. Its values are shown again.',
  attribute_purge_requested: 'The attribute and its values are being deleted. This can take some minutes.',
  session_ended: 'Your session has ended. Sign in to continue.',
  signed_out_everywhere: 'You are signed out of all browsers.',
} as const;

/** Error messages, shown after a form was submitted. */
const failures = {
  import_running: 'Another file of your account is being checked or imported. Wait until it has ended.',
  approval_decided: 'The request no longer exists. Another administrator may have decided on it.',
  approval_forbidden: 'Your account does not allow applications of other accounts. Change the policy first.',
  no_people_selected: 'Select people before you change them.',
  invitation_not_sent: 'The mail could not be sent. The invitation is in the list: send it again later.',
  password_link_not_sent: 'The mail could not be sent. Try again later.',
  factor_required: 'Your account requires a second factor. Add another one before you remove this one.',
  attribute_not_archived: 'Another user has restored the attribute. Archive it before you delete it.',
  email_not_sent: 'The mail could not be sent. Try again later.',
} as const;

export type Flash = keyof typeof messages | keyof typeof failures;

/** Path of a page that shows a flash message. */
export function withFlash(address: string, flash: Flash): string {
  return `${address}?notice=${flash}`;
}

/** The flash message of the last form; nothing for an unknown name. */
export function FlashMessage({ code }: { code: string }) {
  const isFailure = Object.hasOwn(failures, code);
  if (!isFailure && !Object.hasOwn(messages, code)) return null;
  return (
    <p class={isFailure ? 'alert' : 'notice'} role={isFailure ? 'alert' : 'status'}>
      {{ ...messages, ...failures }[code as Flash]}
    </p>
  );
}
