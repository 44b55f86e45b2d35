import { OneTimeLinks } from '../../platform/accounts/one-time-links.js';
import type { Core } from '../../platform/core.js';
import { LinkDelivery } from '../../platform/mail/link-delivery.js';
import { BackgroundMail, Mailer } from '../../platform/mail/mailer.js';
import { Invitations } from './invitations.js';
import { OwnAccount } from './own-account.js';
import { PasswordLinks } from './password-links.js';
import { UserAdministration } from './user-administration.js';

/** Creates the services for users and the mail that they send. */
export function createUsers(core: Core) {
  const { config, database, clock, logger, securityEmails } = core;
  const delivery = new LinkDelivery(new Mailer(config, clock), { baseUrl: config.baseUrl, clock, logger });
  return {
    /** Whether links are sent by mail. Otherwise they are shown to the user who creates them. */
    canSendMail: delivery.canSendMail,
    links: new OneTimeLinks(database),
    invitations: new Invitations(core, delivery),
    passwordLinks: new PasswordLinks(core, delivery, new BackgroundMail(logger)),
    ownAccount: new OwnAccount(core, delivery),
    userAdministration: new UserAdministration(database, securityEmails),
  };
}

export type UserServices = ReturnType<typeof createUsers>;
