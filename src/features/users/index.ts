import { OneTimeLinks } from '../../platform/accounts/one-time-links.js';
import type { Core } from '../../platform/core.js';
import { LinkDelivery } from '../../platform/mail/link-delivery.js';
import { BackgroundMail, Mailer } from '../../platform/mail/mailer.js';
import { EmailChanges } from './email-changes.js';
import { AcceptInvitation, Invitations } from './invitations.js';
import { OwnAccount } from './own-account.js';
import { PasswordLinks } from './password-links.js';
import { UserAdministration } from './user-administration.js';

/** Creates the services for users and the mail that they send. */
export function createUsers(core: Core) {
  const { config, database, clock, logger, passwords, securityEmails } = core;
  const delivery = new LinkDelivery(new Mailer(config, clock), { baseUrl: config.baseUrl, clock, logger });
  const links = new OneTimeLinks(database);
  return {
    invitations: new Invitations(database, delivery),
    acceptInvitation: new AcceptInvitation(database, { links, passwords, clock }),
    passwordLinks: new PasswordLinks({
      ...core,
      links,
      delivery,
      background: new BackgroundMail(logger),
    }),
    emailChanges: new EmailChanges({ ...core, links, delivery }),
    userAdministration: new UserAdministration(database, securityEmails),
    ownAccount: new OwnAccount(database, { passwords, securityEmails }),
  };
}
