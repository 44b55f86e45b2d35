/**
 * Confirmation messages, shown after a form was submitted. The URL has the name of a message and never its text, so that a
 * crafted link cannot show text of its own.
 */
const notices = {
  application_created: 'Application created.',
  application_exists:
    'This form was already submitted, and the application exists. Its secret is not shown again.',
  application_updated: 'Changes saved. They apply to existing tokens immediately.',
  application_deleted: 'Application deleted. Its tokens no longer work.',
  access_revoked: 'All access revoked. Tokens issued before no longer work.',
  secret_exists: 'This form was already submitted, and the secret exists. It is not shown again.',
  secret_revoked: 'Secret revoked.',
  disconnected: 'Application disconnected. It can no longer act on your behalf.',
  invited: 'Invitation sent. Its link works for 7 days.',
  invitation_revoked: 'Invitation revoked. Its link no longer works.',
  role_changed: 'Role changed.',
  user_disabled: 'User disabled and signed out. The applications of the user are disconnected.',
  user_enabled: 'User enabled. The user can sign in again.',
  user_signed_out: 'The user is signed out of all browsers.',
  user_disconnected: 'Application disconnected. It can no longer act on behalf of the user.',
  password_link_sent: 'Mail sent. Its link works for 24 hours.',
  invitation_accepted: 'Your user is created. Sign in with your e-mail address and password.',
  password_set: 'Password saved. Sign in with the new password.',
  profile_saved: 'Changes saved.',
  password_changed: 'Password changed. You are signed out of all other browsers.',
  email_link_sent: 'Mail sent to the new address. Open its link to confirm the address.',
  signed_out_everywhere: 'You are signed out of all browsers.',
} as const;

/** Messages about what failed after a form was submitted. */
const failures = {
  invitation_not_sent: 'The mail could not be sent. The invitation is in the list: send it again later.',
  password_link_not_sent: 'The mail could not be sent. Try again later.',
  email_not_sent: 'The mail could not be sent. Try again later.',
} as const;

export type Notice = keyof typeof notices | keyof typeof failures;

/** Path of a page that shows a notice. */
export function withNotice(address: string, notice: Notice): string {
  return `${address}?notice=${notice}`;
}

/** A notice and whether it is about a failure; `undefined` for an unknown name. */
export function noticeFor(code: string): { readonly text: string; readonly failed: boolean } | undefined {
  if (Object.hasOwn(notices, code)) return { text: notices[code as keyof typeof notices], failed: false };
  if (Object.hasOwn(failures, code)) return { text: failures[code as keyof typeof failures], failed: true };
  return undefined;
}
