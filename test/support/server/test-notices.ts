import type { Clock } from '../../../src/platform/clock.js';
import type { Database } from '../../../src/platform/database/client.js';
import { createSecurityNotices, type SecurityNotices } from '../../../src/platform/mail/security-notices.js';
import { testConfig } from './app.js';

/** Notices of a server without a mail server. */
export function createTestNotices(database: Database, clock: Clock): SecurityNotices {
  const config = { ...testConfig(), smtpUrl: undefined, outboxDirectory: undefined };
  return createSecurityNotices(database, { config, clock, logger: { warn: () => {} } });
}
