import type { Clock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/platform/database/client.js';
import { LinkDelivery } from '../../../src/platform/mail/link-delivery.js';
import { SecurityEmails } from '../../../src/platform/mail/security-emails.js';
import { testConfig } from './app.js';

/** Security e-mails of a server without a mail server. */
export function createTestSecurityEmails(database: Database, clock: Clock): SecurityEmails {
  const config = { ...testConfig(), smtpUrl: undefined, outboxDirectory: undefined };
  const logger = { warn: () => {} };
  return new SecurityEmails(database, new LinkDelivery({ config, clock, logger }), logger);
}
