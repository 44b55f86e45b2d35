import { findLink, type LinkRequest } from '../../platform/accounts/one-time-links.js';
import type { Core } from '../../platform/core.js';
import { BackgroundMail } from '../../platform/mail/mailer.js';
import { Invitations } from './invitations.js';
import { OwnAccount } from './own-account.js';
import { PasswordLinks } from './password-links.js';
import { UserAdministration } from './user-administration.js';

export type UserServices = ReturnType<typeof createUsers>;

export function createUsers(core: Core) {
  const { database, delivery, logger, securityEmails } = core;
  return {
    /** Whether links are sent by mail. Otherwise they are shown to the user who creates them. */
    canSendMail: delivery.canSendMail,
    findLink: (request: LinkRequest) => findLink(database, request),
    invitations: new Invitations(core),
    passwordLinks: new PasswordLinks(core, new BackgroundMail(logger)),
    ownAccount: new OwnAccount(core),
    userAdministration: new UserAdministration(database, securityEmails),
  };
}
