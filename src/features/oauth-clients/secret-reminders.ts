import { tabAddress } from '../../oauth/clients/application-tabs.js';
import { administratorRoles } from '../../platform/accounts/user.js';
import type { Core } from '../../platform/core.js';
import { allAccounts, withScope } from '../../platform/database/scope.js';
import { BackgroundMail, type MailText } from '../../platform/mail/mailer.js';
import { notifyRoles } from '../../platform/mail/notify-roles.js';
import { reminderDays } from './secret-expiry.js';

/** Time between two looks for reminders that are due. */
export const reminderPollMilliseconds = 600_000;

/** Reminders that are claimed at a time. When the process stops, those are sent first. */
const batchSize = 20;

interface DueReminder {
  readonly accountId: string;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly clientId: string;
  readonly expiresAt: Date;
  /** Of the secret. Every secret with an expiry has them. */
  readonly lastCharacters: string;
}

type Dependencies = Pick<Core, 'database' | 'clock' | 'delivery'> & {
  readonly logger: Pick<Core['logger'], 'warn'>;
};

/**
 * Reminds the owners and administrators of an account by mail that a client secret expires. A reminder is claimed before it is sent, so
 * that it is sent at most once. One that was due while no process was running is sent at the next look, if the secret is still
 * valid.
 */
export class SecretReminders {
  readonly #dependencies: Dependencies;
  readonly #mail: BackgroundMail;

  constructor(dependencies: Dependencies) {
    this.#dependencies = dependencies;
    this.#mail = new BackgroundMail(dependencies.logger);
  }

  /**
   * Sends all reminders that are due. Several processes can run it at the same time.
   *
   * @param signal stops it after the reminders that are claimed
   */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const due = await this.#claim();
      if (due.length === 0) return;
      for (const reminder of due) this.#mail.add(() => this.#send(reminder));
      await this.#mail.settled();
    }
  }

  /**
   * Claims reminders of all accounts, and sets the time of the next one. A secret is replaced when the application has a later one that
   * is valid for longer; its reminder is sent if the later one is revoked.
   */
  #claim(): Promise<DueReminder[]> {
    const { database, clock } = this.#dependencies;
    const now = clock();
    return withScope(
      allAccounts,
      () => database.prisma.$queryRaw<DueReminder[]>`
        WITH due AS MATERIALIZED (
          SELECT account_id, id FROM application_secrets stored
          WHERE next_reminder_at <= ${now} AND expires_at > ${now}
            AND NOT EXISTS (
              SELECT FROM application_secrets later
              WHERE later.account_id = stored.account_id AND later.application_id = stored.application_id
                AND later.created_at > stored.created_at
                AND (later.expires_at IS NULL OR later.expires_at > stored.expires_at))
          ORDER BY next_reminder_at LIMIT ${batchSize} FOR UPDATE OF stored SKIP LOCKED
        )
        UPDATE application_secrets secret
        SET next_reminder_at = CASE WHEN expires_at - ${reminderDays.last * 24} * interval '1 hour' > ${now}
          THEN expires_at - ${reminderDays.last * 24} * interval '1 hour' END
        FROM due JOIN applications ON applications.account_id = due.account_id
        WHERE secret.account_id = due.account_id AND secret.id = due.id AND applications.id = secret.application_id
        RETURNING secret.account_id AS "accountId", secret.application_id AS "applicationId",
          applications.name AS "applicationName", applications.client_id AS "clientId",
          secret.expires_at AS "expiresAt", secret.last_characters AS "lastCharacters"`,
    );
  }

  async #send(reminder: DueReminder): Promise<void> {
    const { database, delivery } = this.#dependencies;
    const url = delivery.addressOf(tabAddress(reminder.applicationId, 'credentials'));
    await notifyRoles(database, delivery, {
      roles: administratorRoles,
      cause: 'expiring_secret',
      subjects: { account: reminder.accountId },
      mail: reminderMail(reminder, url),
    });
  }
}

const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' });
const timeFormat = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

function reminderMail(
  { applicationName, clientId, expiresAt, lastCharacters }: DueReminder,
  url: string,
): MailText {
  const date = dateFormat.format(expiresAt);
  return {
    subject: `A client secret of ${applicationName} expires on ${date}`,
    before: [
      `The client secret ending in ${lastCharacters} of ${applicationName} (client ID ${clientId}) expires on ${date} at ${timeFormat.format(expiresAt)} UTC. The application can then no longer get tokens with it.`,
      'Create a second secret, deploy it, and revoke this one when it is no longer used.',
    ],
    link: { label: `Credentials of ${applicationName}`, url },
    after: [
      `Owners and administrators get this mail ${reminderDays.first} and ${reminderDays.last} days before a client secret expires, unless it was replaced.`,
    ],
  };
}
