import type { MailText } from './message.js';

/** What happened, as a sentence and as the subject. No mail has a link: users need not follow one from a mail. */
const sentences = {
  password_changed: 'Your password was changed',
  authenticator_app_added: 'An authenticator app was added to your account',
  authenticator_app_removed: 'The authenticator app was removed from your account',
  passkey_added: 'A passkey was added to your account',
  passkey_removed: 'A passkey was removed from your account',
  recovery_codes_created: 'New recovery codes were created for your account',
  recovery_code_used: 'A recovery code was used to sign in to your account',
  second_factors_removed: 'All second factors were removed from your account',
  email_changed: 'Your e-mail address was changed',
} as const;

/** A change of a setting with which a user signs in. */
export type SecurityChange = keyof typeof sentences;

/** Tells a user about a change. */
export function securityMail(change: SecurityChange): MailText {
  const subject = sentences[change];
  const after =
    change === 'email_changed'
      ? 'You no longer sign in to People with this address. If you did not change it, contact an owner of your account.'
      : 'If this was not you, set a new password for People, and contact an owner of your account.';
  return { subject, before: [`${subject}.`], after: [after] };
}
