import type { MailText } from '../../platform/mail/mailer.js';

type LinkMail = MailText & { readonly link: { readonly label: string; readonly url: string } };

const ignore = 'If you did not expect this mail, you can ignore it.';

/** Invites a person to an account. */
export function invitationMail({ accountName, url }: { accountName: string; url: string }): LinkMail {
  return {
    subject: `Invitation to ${accountName}`,
    before: [`You are invited to join ${accountName} on People.`],
    link: { label: 'Accept the invitation', url },
    after: ['The link can be used once, within 7 days.', ignore],
  };
}

/** Lets a user set a new password. */
export function passwordMail({ url, lifetime }: { url: string; lifetime: string }): LinkMail {
  return {
    subject: 'Set a new password',
    before: ['Use this link to set a new password for People.'],
    link: { label: 'Set a new password', url },
    after: [`The link can be used once, within ${lifetime}. It ends all of your sessions.`, ignore],
  };
}

/** Responds to a request for a new password of a user whose account requires single sign-on. */
export function singleSignOnMail({ url }: { url: string }): LinkMail {
  return {
    subject: 'Sign in with single sign-on',
    before: ['You do not need a password for People. Your account uses single sign-on only.'],
    link: { label: 'Sign in with single sign-on', url },
    after: [ignore],
  };
}

/** Confirms a new e-mail address, to that address. */
export function confirmEmailMail({ url }: { url: string }): LinkMail {
  return {
    subject: 'Confirm your e-mail address',
    before: ['Use this link to confirm that you want to sign in to People with this e-mail address.'],
    link: { label: 'Confirm the address', url },
    after: ['The link can be used once, within 24 hours.', ignore],
  };
}
