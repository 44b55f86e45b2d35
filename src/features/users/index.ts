import { OneTimeLinks } from '../../platform/accounts/one-time-links.js';
import type { Core } from '../../platform/core.js';
import { BackgroundMail } from '../../platform/mail/mailer.js';
import { Invitations } from './invitations.js';
import { OwnAccount } from './own-account.js';
import { PasswordLinks } from './password-links.js';
import { UserAdministration } from './user-administration.js';

/** The services for users. */
export type UserServices = ReturnType<typeof createUsers>;

/** Creates the services for users and the mail that they send. */
export function createUsers(core: Core) {
  const { database, delivery, logger, securityEmails } = core;
  return {
    /** Whether links are sent by mail. Otherwise they are shown to the user who creates them. */
    canSendMail: delivery.canSendMail,
    links: new OneTimeLinks(database),
    invitations: new Invitations(core),
    passwordLinks: new PasswordLinks(core, new BackgroundMail(logger)),
    ownAccount: new OwnAccount(core),
    userAdministration: new UserAdministration(database, securityEmails),
  };
}
