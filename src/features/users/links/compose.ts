import { OneTimeLinks } from '../../../platform/accounts/one-time-links.js';
import type { Passwords } from '../../../platform/accounts/passwords.js';
import { Reauthentication } from '../../../platform/accounts/reauthentication.js';
import type { Sessions } from '../../../platform/accounts/sessions.js';
import type { Users } from '../../../platform/accounts/users.js';
import type { AuditLog } from '../../../platform/audit/audit-log.js';
import type { Clock } from '../../../platform/clock.js';
import type { Config } from '../../../platform/config/config.js';
import type { Database } from '../../../platform/database/client.js';
import type { FailureLimit } from '../../../platform/limits/failure-limit.js';
import type { CounterLogger } from '../../../platform/limits/redis-counters.js';
import { LinkDelivery } from '../../../platform/mail/link-delivery.js';
import { BackgroundMail, Mailer } from '../../../platform/mail/mailer.js';
import type { SecurityNotices } from '../../../platform/mail/security-notices.js';
import { EmailChanges } from '../email-changes.js';
import { AcceptInvitation, Invitations } from '../invitations.js';
import { PasswordLinks } from '../password-links.js';

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
