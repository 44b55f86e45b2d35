import type { Clock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/platform/database/client.js';
import { createSecurityEmails, type SecurityEmails } from '../../../src/platform/mail/security-emails.js';
import { testConfig } from './app.js';

/** Security e-mails of a server without a mail server. */
export function createTestSecurityEmails(database: Database, clock: Clock): SecurityEmails {
  const config = { ...testConfig(), smtpUrl: undefined, outboxDirectory: undefined };
  return createSecurityEmails(database, { config, clock, logger: { warn: () => {} } });
}
