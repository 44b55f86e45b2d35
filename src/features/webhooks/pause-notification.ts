import type { Database } from '../../platform/database/client.js';
import type { LinkDelivery } from '../../platform/mail/link-delivery.js';
import { notifyRoles } from '../../platform/mail/notify-roles.js';
import { applicationAddress } from '../../platform/pages/paths.js';
import type { EndpointOutcome } from './delivery/outcome.js';
import { maxRetryDays, type PauseReason } from './webhook-endpoint.js';

const reasons: Readonly<Record<PauseReason, string>> = {
  failing: `It did not accept events for ${maxRetryDays} days.`,
  gone: 'It responded with 410 Gone.',
  expired: 'Its next events are no longer kept.',
  access: 'The application may no longer read employees.',
  revoked: '',
  manual: '',
};

/** Notifies the owners of an account that one of its webhook endpoints is paused. A mail that is not sent is logged. */
export async function notifyOwners(
  database: Pick<Database, 'prisma'>,
  delivery: LinkDelivery,
  { accountId, applicationId, id, url, pauseReason, attempt }: EndpointOutcome,
): Promise<void> {
  const application = await database.prisma.application.findFirst({
    where: { accountId, id: applicationId },
  });
  const { host } = new URL(url);
  const lastError = attempt?.error ?? (attempt?.status == null ? null : `Status ${attempt.status}`);
  const mail = {
    subject: `Webhooks to ${host} are paused`,
    before: [
      `Events are no longer sent to the webhook endpoint of ${application?.name ?? 'an application'} at ${host}.`,
      pauseReason === null ? '' : reasons[pauseReason],
      ...(lastError === null ? [] : [`Last attempt: ${lastError}.`]),
    ].filter((text) => text !== ''),
    link: {
      label: 'Show the endpoint',
      url: delivery.addressOf(applicationAddress(applicationId, 'webhooks', id)),
    },
    after: ['Resume the endpoint there, or through the API. Events are kept for a limited time.'],
  };
  await notifyRoles(database, delivery, {
    roles: ['owner'],
    cause: 'paused_webhook',
    subjects: { account: accountId },
    mail,
  });
}
