import type { Test } from '../tap.js';
import { buildTestApp, type TestApp } from './app.js';
import { type MailServer, startMailServer } from './mail-server.js';

/** The application with a mail server. */
export interface MailingApp {
  readonly api: TestApp;
  readonly mail: MailServer;
}

export async function buildMailingApp(
  t: Test,
  options: NonNullable<Parameters<typeof buildTestApp>[1]> = {},
): Promise<MailingApp> {
  const mail = await startMailServer(t);
  const environment = { RATE_LIMIT_FAILURES: '0', SMTP_URL: mail.url, ...options.environment };
  return { api: await buildTestApp(t, { ...options, environment }), mail };
}
