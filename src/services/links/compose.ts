import type { Clock } from '../../clock.js';
import type { Config } from '../../config/config.js';
import type { Database } from '../../database/client.js';
import type { AuditLog } from '../audit-log.js';
import type { CounterLogger } from '../counters/redis-connection.js';
import { EmailChanges } from '../email-changes.js';
import type { FailureLimit } from '../failure-limit.js';
import { AcceptInvitation } from '../invitations/accept-invitation.js';
import { Invitations } from '../invitations/invitations.js';
import { BackgroundMail } from '../mail/background-mail.js';
import { Mailer } from '../mail/mailer.js';
import { PasswordLinks } from '../password-links.js';
import type { Passwords } from '../passwords.js';
import { Reauthentication } from '../reauthentication.js';
import type { SecurityNotices } from '../security-notices.js';
import type { Sessions } from '../sessions.js';
import type { Users } from '../users.js';
import { LinkDelivery } from './link-delivery.js';
import { OneTimeLinks } from './one-time-links.js';

export interface UserServicesDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
  readonly log: CounterLogger;
  readonly users: Users;
  readonly passwords: Passwords;
  readonly userSessions: Sessions;
  readonly auditLog: AuditLog;
  readonly failureLimit: FailureLimit;
  readonly notices: SecurityNotices;
}

/** Services that send one-time links, and the one that confirms a password. */
export interface UserServices {
  readonly invitations: Invitations;
  readonly acceptInvitation: AcceptInvitation;
  readonly passwordLinks: PasswordLinks;
  readonly emailChanges: EmailChanges;
  readonly reauthentication: Reauthentication;
}

/** Creates the services for users and the mail that they send. */
export function composeUserServices(dependencies: UserServicesDependencies): UserServices {
  const { config, database, clock, log: logger, users, userSessions, auditLog } = dependencies;
  const { passwords, failureLimit, notices } = dependencies;
  const delivery = new LinkDelivery(new Mailer(config, clock), { baseUrl: config.baseUrl, clock, logger });
  const links = new OneTimeLinks(database);
  return {
    invitations: new Invitations(database, delivery),
    acceptInvitation: new AcceptInvitation(database, { links, passwords, clock }),
    passwordLinks: new PasswordLinks({
      ...{ database, links, users, passwords, delivery, failureLimit, clock, notices },
      background: new BackgroundMail(logger),
    }),
    emailChanges: new EmailChanges({ database, links, delivery, notices, clock }),
    reauthentication: new Reauthentication({
      database,
      users,
      passwords,
      sessions: userSessions,
      auditLog,
      failureLimit,
    }),
  };
}
